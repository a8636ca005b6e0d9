import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Artifact } from '../../src/contract/artifact.ts';
import { artifactStates } from '../../src/contract/compliance.ts';
import { judgeArtifact } from '../../src/operations/artifact-answer.ts';
import { TroubleError } from '../../src/runtime/failure.ts';
import { anArtifact, anAsked, fingerprintOf } from '../support/artifacts.ts';

describe('judgeArtifact', () => {
  it.each([
    ['COMPLIANT', 'compliant'],
    ['NON-COMPLIANT', 'non-compliant'],
    ['INCOMPLETE', 'incomplete'],
  ])('takes the state %s for the verdict %s', (state, verdict) => {
    expect(judgeArtifact(anArtifact({ state }), anAsked())).toBe(verdict);
  });

  it('never takes another word for a verdict, whatever it looks like', () => {
    const lookalikes = fc.constantFrom('compliant', 'COMPLIANT ', 'COMPLIANT\n', 'NON_COMPLIANT', 'OK', 'toString');
    fc.assert(
      fc.property(fc.oneof(lookalikes, fc.string({ minLength: 1 })), (state) => {
        fc.pre(!artifactStates.some((known) => known === state));
        expect(() => judgeArtifact(anArtifact({ state }), anAsked())).toThrow(TroubleError);
      }),
    );
  });

  it('shows an unknown state in quotes, and says that it is no pass', () => {
    expect(failureOf(() => judgeArtifact(anArtifact({ state: 'FROZEN\n::x' }), anAsked()))).toEqual({
      what: 'get-artifact: the service answered the state "FROZEN\\n::x", which is none of COMPLIANT, NON-COMPLIANT, INCOMPLETE',
      remedy: 'Look for a newer version of this action that knows the state; until then it is no pass.',
    });
  });

  it.each([{ state: '' }, { state: undefined }])('gives no verdict where the answer has no state: %p', ({ state }) => {
    const answer: Artifact = { fingerprint: fingerprintOf('a'), ...(state === undefined ? {} : { state }) };
    expect(failureOf(() => judgeArtifact(answer, anAsked()))).toEqual({
      what: `get-artifact: the service answered for fingerprint ${fingerprintOf('a')} without a state`,
      remedy: expect.stringContaining('this is no pass'),
    });
  });

  it('takes the whole fingerprint for an answer to its first digits', () => {
    expect(judgeArtifact(anArtifact(), anAsked({ fingerprint: 'aaaaa' }))).toBe('compliant');
  });

  it.each([
    ['another fingerprint', { fingerprint: fingerprintOf('b') }, {}, `fingerprint ${fingerprintOf('b')}`],
    ['another fingerprint than the digits begin', {}, { fingerprint: 'aaaab' }, `fingerprint ${fingerprintOf('a')}`],
    ['another flow', { flow_name: 'other' }, {}, 'flow "other"'],
    ['another trail', { trail_name: 'trail-2' }, { trail: 'trail-1' }, 'trail "trail-2"'],
  ])('refuses an answer about %s, however compliant it is', (_what, answer, asked, answered) => {
    const { what } = failureOf(() => judgeArtifact(anArtifact(answer), anAsked(asked)));
    expect(what).toContain(`and answered with ${answered}`);
  });

  it('cannot compare what an answer leaves out: flow and trail are optional in the interface', () => {
    const bare: Artifact = { fingerprint: fingerprintOf('a'), state: 'COMPLIANT' };
    expect(judgeArtifact(bare, anAsked({ trail: 'trail-1' }))).toBe('compliant');
    expect(judgeArtifact({ ...bare, trail_name: null }, anAsked({ trail: 'trail-1' }))).toBe('compliant');
  });

  it('does not look at the trail where none was asked for', () => {
    expect(judgeArtifact(anArtifact({ trail_name: 'trail-2' }), anAsked())).toBe('compliant');
  });
});

function failureOf(work: () => unknown): { what: string; remedy: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof TroubleError) return { what: error.message, remedy: error.remedy };
    throw error;
  }
  throw new Error('it was judged');
}
