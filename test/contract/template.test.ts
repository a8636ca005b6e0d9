import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requiredEvidence } from '../../src/contract/template.ts';

describe('the evidence that a template requires', () => {
  it.each([
    [[], []],
    [['artifact'], []],
    [['artifact', 'sonar'], ['sonar']],
    [
      ['sonar,unit', 'lint'],
      ['sonar', 'unit', 'lint'],
    ],
    [
      ['unit', 'sonar,unit'],
      ['unit', 'sonar'],
    ],
    [[',', 'sonar,,', ',artifact'], ['sonar']],
  ])('of %j is %j', (template, names) => {
    expect(requiredEvidence(template)).toEqual(names);
  });

  it('is the same however the names are spread over items', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9\-_]{1,6}$/);
    fc.assert(
      fc.property(fc.array(name), (names) => {
        expect(requiredEvidence([names.join(',')])).toEqual(requiredEvidence(names));
      }),
    );
  });
});
