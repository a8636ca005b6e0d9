import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { revisionFromScannerContext } from '../../../src/evidence/sonar/scanner-context.ts';
import { analysedCommit, scannerContext } from '../../support/sonar-analysis.ts';

describe("the revision in a scanner's context", () => {
  it('is the property of the scan', () => {
    expect(revisionFromScannerContext(scannerContext(analysedCommit))).toBe(analysedCommit);
    expect(revisionFromScannerContext(scannerContext(analysedCommit).replaceAll('\n', '\r\n'))).toBe(analysedCommit);
  });

  it.each([
    ['is empty', ''],
    ['does not have the property', 'Project scanner properties:\n  - sonar.projectKey=a\n'],
    ['has it without a value', scannerContext('  ')],
    [
      'has it in the settings of the server',
      'Project server settings:\n  - sonar.scm.revision=a\nProject scanner properties:\n',
    ],
    ['has it for a module', `Project scanner properties:\nScanner properties of module: a\n  - sonar.scm.revision=a\n`],
    ['has it twice', scannerContext(`${analysedCommit}\n  - sonar.scm.revision=${'b'.repeat(40)}`)],
    ['has more than a word', scannerContext('two words')],
    ['has the section twice', `${scannerContext(analysedCommit)}Project scanner properties:\n`],
  ])('is not read if the context %s', (_what, context) => {
    expect(revisionFromScannerContext(context)).toBeUndefined();
  });

  it('is one word or undefined, whatever the context is', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('Project scanner properties:', '  - sonar.scm.revision=a', 'Scanner properties of module: m'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const revision = revisionFromScannerContext(lines.join('\n'));
        expect(revision ?? 'none').toMatch(/^[\x21-\x7E]+$/u);
      }),
    );
  });
});
