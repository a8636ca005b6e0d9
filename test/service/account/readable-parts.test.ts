import { describe, expect, it } from '@jest/globals';
import { type Reader, toReadableReasons } from '../../../src/service/account/readable-parts.ts';
import type { ReasonSource } from '../../../src/service/attestation/reasons.ts';

const reader: Reader = { org: 'acme', grants: [{ role: 'reader', flows: ['web'], environments: ['production'] }] };
const evidence = { flow: 'web', trail: 'main' };

describe('a reason', () => {
  it.each<[ReasonSource | undefined, boolean]>([
    [undefined, true],
    [{ evidence }, true],
    [{ evidence: { ...evidence, flow: 'api' } }, false],
    [{ member: 'production' }, true],
    [{ evidence, member: 'production' }, true],
    [{ evidence, member: 'staging' }, false],
    // A sentence of an earlier version may name any flow.
    [{ member: 'production', isUnclear: true }, false],
  ])('with the source %j is shown to a key for a flow and an environment: %s', (source, isShown) => {
    const reason = {
      state: 'failed',
      about: 'web',
      value: 'secret',
      ...(source === undefined ? {} : { source }),
    } as const;
    const hidden = { state: 'failed', about: 'something that this key may not read', value: 'not compliant' };
    expect(toReadableReasons(reader, [reason])).toEqual([isShown ? reason : hidden]);
  });
});
