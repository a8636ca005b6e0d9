import { describe, expect, it } from '@jest/globals';
import { revisionFromScannerContext } from '../../../src/evidence/sonar/scanner-context.ts';
import { analysedCommit, scannerContext } from '../../support/sonar-analysis.ts';

describe("the revision in a scanner's context", () => {
  it.each(['\n', '\r\n'])('is the property of the scan, with the line end %j', (lineEnd) => {
    const context = scannerContext(analysedCommit).replaceAll('\n', lineEnd);
    expect(revisionFromScannerContext(context)).toBe(analysedCommit);
  });

  it.each([
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
});
