import { describe, it } from '@jest/globals';
import { unverifiedRevision } from '../../../src/operations/inputs/evidence-inputs.ts';
import { expectInput } from '../../support/input-cases.ts';

describe('the input `unverified-revision`', () => {
  it('is `warn` or `fail`, and nothing else', () => {
    expectInput(unverifiedRevision, {
      good: [
        ['warn', 'warn'],
        ['fail', 'fail'],
      ],
      bad: [
        ['ignore', /must be `warn` or `fail`/u],
        ['Fail', /must be `warn` or `fail`/u],
        ['true', /must be `warn` or `fail`/u],
      ],
    });
  });
});
