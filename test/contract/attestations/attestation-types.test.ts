import { describe, expect, it } from '@jest/globals';
import {
  isRecordableType,
  isRequirableType,
  requirableTypes,
} from '../../../src/contract/attestations/attestation-types.ts';
import { attestationKinds } from '../../../src/contract/attestations/kinds.ts';

describe('the types that a template may require', () => {
  it.each(attestationKinds.map(({ type }) => type))('include %s, which can be recorded', (type) => {
    expect([isRequirableType(type), isRecordableType(type)]).toEqual([true, true]);
    expect(requirableTypes).toContain(type);
  });

  it('include * for any, which all evidence satisfies', () => {
    expect([isRequirableType('*'), isRecordableType('*')]).toEqual([true, true]);
  });

  it.each(['snyk', 'jira', 'decision', 'custom:licences', 'custom:a.b-c_d~e'])(
    'include %s, which cannot be recorded yet',
    (type) => {
      expect([isRequirableType(type), isRecordableType(type)]).toEqual([true, false]);
    },
  );

  it.each(['', 'unit', 'Junit', 'junit ', 'custom:', 'custom:-a', 'custom:a b', 'constructor', '**'])(
    'do not include %j',
    (type) => {
      expect([isRequirableType(type), isRecordableType(type)]).toEqual([false, false]);
    },
  );
});
