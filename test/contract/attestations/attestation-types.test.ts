import { describe, expect, it } from '@jest/globals';
import { isRequirableType, requirableTypes } from '../../../src/contract/attestations/attestation-types.ts';
import { attestationKinds } from '../../../src/contract/attestations/kinds.ts';

describe('the types that a template may require', () => {
  it.each(attestationKinds.flatMap(({ types }) => types))('include %s, which can be recorded', (type) => {
    expect(isRequirableType(type)).toBe(true);
    expect(requirableTypes).toContain(type);
  });

  it.each(['*', 'snyk', 'jira', 'sbom', 'decision', 'custom:licences', 'custom:a.b-c_d~e'])('include %s', (type) => {
    expect(isRequirableType(type)).toBe(true);
  });

  it.each(['', 'unit', 'Junit', 'junit ', 'system', 'custom:', 'custom:-a', 'custom:a b', 'constructor', '**'])(
    'do not include %j',
    (type) => {
      expect(isRequirableType(type)).toBe(false);
    },
  );
});
