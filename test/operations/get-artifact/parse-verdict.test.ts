import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Artifact } from '../../../src/contract/artifact.ts';
import { artifactStates } from '../../../src/contract/compliance.ts';
import { parseVerdict } from '../../../src/operations/get-artifact/parse-verdict.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import { anArtifact, aQuery, fingerprintOf } from '../../support/artifacts.ts';

const anId = '1a2b3c4d-0000-1111-2222-12345678';
const anotherId = '1a2b3c4d-0000-1111-2222-87654321';

describe('parseVerdict', () => {
  it.each([
    ['COMPLIANT', 'compliant'],
    ['NON-COMPLIANT', 'non-compliant'],
    ['INCOMPLETE', 'incomplete'],
  ])('takes the state %s for the verdict %s', (state, verdict) => {
    expect(parseVerdict(anArtifact({ state }), aQuery())).toBe(verdict);
  });

  it('never accepts another word as a verdict', () => {
    const lookalikes = fc.constantFrom('compliant', 'COMPLIANT ', 'COMPLIANT\n', 'NON_COMPLIANT', 'OK', 'toString');
    fc.assert(
      fc.property(fc.oneof(lookalikes, fc.string({ minLength: 1 })), (state) => {
        fc.pre(!artifactStates.some((known) => known === state));
        expect(() => parseVerdict(anArtifact({ state }), aQuery())).toThrow(ExternalError);
      }),
    );
  });

  it('quotes an unknown state and says that the step does not pass', () => {
    expect(failureOf(() => parseVerdict(anArtifact({ state: 'FROZEN\n::x' }), aQuery()))).toEqual({
      what: 'get-artifact: the service answered with the unknown state "FROZEN\\n::x" (known: COMPLIANT, NON-COMPLIANT, INCOMPLETE)',
      remedy: 'Update this action to a version that knows the state. Until then the step does not pass.',
    });
  });

  it.each([{ state: '' }, { state: undefined }])('gives no verdict if the answer has no state: %p', ({ state }) => {
    const answer: Artifact = { fingerprint: fingerprintOf('a'), ...(state === undefined ? {} : { state }) };
    expect(failureOf(() => parseVerdict(answer, aQuery()))).toEqual({
      what: `get-artifact: the service returned no state for fingerprint ${fingerprintOf('a')}`,
      remedy: expect.stringContaining('the step does not pass'),
    });
  });

  it('accepts the full fingerprint as the answer to its first digits', () => {
    expect(parseVerdict(anArtifact(), aQuery({ fingerprint: 'aaaaa' }))).toBe('compliant');
  });

  it.each([
    ['another fingerprint', { fingerprint: fingerprintOf('b') }, {}, `fingerprint ${fingerprintOf('b')}`],
    ['another fingerprint than the digits begin', {}, { fingerprint: 'aaaab' }, `fingerprint ${fingerprintOf('a')}`],
    ['another flow', { flow_name: 'other' }, {}, 'flow "other"'],
    ['another trail', { trail_name: 'trail-2' }, { trail: 'trail-1' }, 'trail "trail-2"'],
  ])('refuses an answer about %s, however compliant it is', (_what, answer, asked, answered) => {
    const { what } = failureOf(() => parseVerdict(anArtifact(answer), aQuery(asked)));
    expect(what).toContain(`and answered with ${answered}`);
  });

  it.each([{}, { trail_name: null }, { trail_name: '' }])(
    'refuses an answer that names no trail (%j) where one was asked for: the service may not have heard of it',
    (named) => {
      const artifact: Artifact = { fingerprint: fingerprintOf('a'), state: 'COMPLIANT', ...named };
      expect(failureOf(() => parseVerdict(artifact, aQuery({ trail: 'trail-1' }))).what).toBe(
        'get-artifact: the service was asked for trail trail-1 and answered with an artifact that names no trail',
      );
    },
  );

  it.each([
    [{}, 'an artifact that names no artifact attestation'],
    [{ id: anotherId }, `artifact attestation "${anotherId}"`],
  ])('refuses an answer with %j if another attestation was requested', (named, answered) => {
    const { what } = failureOf(() => parseVerdict(anArtifact(named), aQuery({ attestationId: anId })));
    expect(what).toContain(`was asked for artifact attestation ${anId} and answered with ${answered}`);
  });

  it('accepts the requested id', () => {
    expect(parseVerdict(anArtifact({ id: anId }), aQuery({ attestationId: anId }))).toBe('compliant');
  });

  it('ignores the trail if none was requested', () => {
    expect(parseVerdict(anArtifact({ trail_name: 'trail-2' }), aQuery())).toBe('compliant');
  });
});

function failureOf(work: () => unknown): { what: string; remedy: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof ExternalError) return { what: error.message, remedy: error.remedy };
    throw error;
  }
  throw new Error('it was judged');
}
