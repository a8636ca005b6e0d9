import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListedAttestation } from '../../../src/contract/attestation-list.ts';
import {
  detectOrder,
  type ListOrder,
  newestFirst,
} from '../../../src/operations/list-attestations/attestation-order.ts';
import { AttestationTally } from '../../../src/operations/list-attestations/attestation-tally.ts';

/** A compliant attestation of the trail `main`, with changes. */
function entry(id: string, change: Partial<ListedAttestation> = {}): ListedAttestation {
  return {
    ...{ attestation_id: id, attestation_name: 'unit', trail_name: 'main', artifact_fingerprint: null },
    ...{ created_at: Number(id), is_compliant: true, ...change },
  };
}

function without(attestation: ListedAttestation, field: keyof ListedAttestation): ListedAttestation {
  return { attestation_id: '', ...Object.fromEntries(Object.entries(attestation).filter(([key]) => key !== field)) };
}

function tallied(
  attestations: readonly ListedAttestation[],
  order: ListOrder = detectOrder(attestations),
): AttestationTally {
  const tally = new AttestationTally();
  tally.add(newestFirst(attestations, order), order);
  return tally;
}

const countsOf = ({ listed, counting, replaced, verdict }: AttestationTally): readonly unknown[] => [
  ...[listed, counting, replaced, verdict],
];

describe('what counts', () => {
  it('is the newest of the same name, trail and artifact', () => {
    expect(countsOf(tallied([entry('2'), entry('1', { is_compliant: false })]))).toEqual([2, 1, 1, 'compliant']);
    expect(countsOf(tallied([entry('2', { is_compliant: false }), entry('1')]))).toEqual([2, 1, 1, 'non-compliant']);
  });

  it.each<[string, Partial<ListedAttestation>]>([
    ['another name', { attestation_name: 'lint' }],
    ['another trail', { trail_name: 'other' }],
    ['another artifact', { artifact_fingerprint: 'f'.repeat(64) }],
    ['another artifact of the template', { target_artifacts: ['web'] }],
    ['no trail', { trail_name: null }],
    ['no name', { attestation_name: '' }],
  ])('is not replaced by one with %s, nor does it replace that', (_what, change) => {
    const failed = entry('1', { is_compliant: false });
    expect(countsOf(tallied([entry('2', change), failed]))).toEqual([2, 2, 0, 'non-compliant']);
    expect(countsOf(tallied([entry('2'), { ...failed, ...change }]))).toEqual([2, 2, 0, 'non-compliant']);
  });

  it('includes each attestation without a trail, a name or a time', () => {
    for (const missing of ['trail_name', 'attestation_name', 'created_at'] as const) {
      const silent = (id: string, compliant: boolean): ListedAttestation => {
        return without(entry(id, { is_compliant: compliant }), missing);
      };
      expect(countsOf(tallied([silent('2', true), silent('1', false)]))).toEqual([2, 2, 0, 'non-compliant']);
    }
  });

  it('is decided by the sequence and not by the time, if the service tells both', () => {
    // The clock was an hour ahead when the first one was recorded.
    const ahead = entry('1', { sequence: 1, created_at: 3600 });
    const failed = entry('2', { sequence: 2, created_at: 100, is_compliant: false });
    for (const listed of [
      [failed, ahead],
      [ahead, failed],
    ]) {
      expect(countsOf(tallied(listed))).toEqual([2, 1, 1, 'non-compliant']);
      expect(countsOf(tallied(listed, 'unknown'))).toEqual([2, 1, 1, 'non-compliant']);
    }
    expect(detectOrder([failed, ahead])).toBe('newest first');
    expect(countsOf(tallied([without(failed, 'sequence'), ahead]))).toEqual([2, 1, 1, 'compliant']);
  });

  it('is decided by the fraction of a second', () => {
    const [failed, passed] = [entry('a', { created_at: 5.25, is_compliant: false }), entry('b', { created_at: 5.5 })];
    for (const listed of [
      [failed, passed],
      [passed, failed],
    ]) {
      expect(tallied(listed).verdict).toBe('compliant');
    }
  });

  it.each<[ListOrder, string]>([
    ['newest first', 'compliant'],
    ['oldest first', 'non-compliant'],
    ['unknown', 'non-compliant'],
  ])('is decided by the order of the service where the times are equal: %s', (order, verdict) => {
    const listed = [entry('a', { created_at: 5 }), entry('b', { created_at: 5, is_compliant: false })];
    expect(tallied(listed, order).verdict).toBe(verdict);
    expect(tallied(listed.toReversed(), order).verdict).toBe(
      order === 'unknown' ? 'non-compliant' : verdict === 'compliant' ? 'non-compliant' : 'compliant',
    );
  });

  it('is the same however the list is ordered and cut into pages, and even if entries come twice', () => {
    const attestation = fc.record({
      created_at: fc.nat({ max: 1000 }),
      is_compliant: fc.constantFrom(true, false, null),
      attestation_name: fc.constantFrom('unit', 'lint'),
      trail_name: fc.constantFrom('main', 'other', null),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(attestation, { selector: ({ created_at: time }) => time, maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (fields, size, twice) => {
          const listed = fields.map((each, index) => entry(`id-${index}`, each));
          const tally = new AttestationTally();
          for (let at = 0; at < listed.length; at += size) {
            tally.add(listed.slice(twice ? Math.max(0, at - 2) : at, at + size), 'unknown');
          }
          const counting = listed.filter(
            (one) =>
              one.trail_name === null ||
              !listed.some(
                (other) =>
                  other.trail_name === one.trail_name &&
                  other.attestation_name === one.attestation_name &&
                  (other.created_at ?? 0) > (one.created_at ?? 0),
              ),
          );
          const has = (compliant: boolean | null): boolean =>
            counting.some(({ is_compliant: each }) => each === compliant);
          expect(countsOf(tally)).toEqual([
            ...[listed.length, counting.length, listed.length - counting.length],
            has(false) ? 'non-compliant' : has(null) || listed.length === 0 ? 'incomplete' : 'compliant',
          ]);
          const rows = tally.tables.map(({ title, rows: shown }) => [title, shown.length]);
          expect(rows).toEqual(counting.length === 0 ? [] : [[`Attestations (${counting.length})`, counting.length]]);
          const count = (compliant: boolean | null): number =>
            counting.filter(({ is_compliant: each }) => each === compliant).length;
          expect(tally.reasons.map(({ state }) => state)).toEqual([
            ...Array.from({ length: count(false) }, () => 'failed'),
            ...Array.from({ length: count(null) }, () => 'incomplete'),
          ]);
        },
      ),
    );
  });

  it('notes which replacements are a guess', () => {
    const silent = without(entry('2'), 'artifact_fingerprint');
    const failed = without(entry('1', { is_compliant: false }), 'artifact_fingerprint');
    expect(tallied([silent, failed]).guessedReplacements).toBe(1);
    expect(tallied([silent, failed, entry('0', { trail_name: 'other' })]).guessedReplacements).toBe(0);
    expect(tallied([silent, { ...failed, is_compliant: true }]).guessedReplacements).toBe(0);
  });
});

describe('a tally', () => {
  it('names an attestation without a name by its id', () => {
    expect(tallied([{ attestation_id: 'id-1', is_compliant: false }]).reasons).toMatchObject([{ about: 'id-1' }]);
  });

  it('shows trail and artifact, the fingerprint shortened', () => {
    const [table] = tallied([
      entry('2', { artifact_fingerprint: 'f'.repeat(64) }),
      entry('1', { target_artifacts: ['web'] }),
    ]).tables;
    expect(table?.rows.map((row) => row.slice(1, 3).map(({ text }) => text))).toEqual([
      ['main', 'f'.repeat(12)],
      ['main', 'web'],
    ]);
  });
});

describe('the order of a page', () => {
  it.each<[readonly (number | undefined)[], ListOrder]>([
    [[3, 2, 2, 1], 'newest first'],
    [[1, 1, 1.5], 'oldest first'],
    [[2, undefined, 1], 'newest first'],
    [[1, 1, 1], 'unknown'],
    [[1, 3, 2], 'unknown'],
    [[1], 'unknown'],
    [[], 'unknown'],
    [[undefined, undefined], 'unknown'],
  ])('of the times %j is: %s', (times, order) => {
    const listed = times.map((time, index): ListedAttestation => {
      const id = { attestation_id: String(index) };
      return time === undefined ? id : { ...id, created_at: time };
    });
    expect(detectOrder(listed)).toBe(order);
  });
});
