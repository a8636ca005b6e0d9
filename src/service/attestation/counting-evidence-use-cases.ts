import { toDay } from '../../runtime/clock.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import type { FlowReference, RecordedSummary } from './attestation-records.ts';
import type { Scope } from './evidence-scope.ts';
import { findOverrideEnd } from './facts.ts';

/**
 * The evidence that counts in each of the scopes: the latest of each name. If that is an override that has ended, the
 * original counts again, and its faults say so.
 *
 * @param at in Unix seconds
 */
export async function listCountingEvidence(
  { attestations }: Pick<ReadTransaction, 'attestations'>,
  { org, flow, at }: FlowReference & { readonly at: number },
  scopes: readonly Scope[],
): Promise<ReadonlyMap<Scope, readonly RecordedSummary[]>> {
  const current = await attestations.listCurrent({ org, flow }, scopes);
  const today = toDay(at);
  const ended = [...current.values()].flat().flatMap((override) => {
    const end = findOverrideEnd(override.facts);
    return end !== undefined && end.until < today ? [{ override, end }] : [];
  });
  if (ended.length === 0) return current;
  const originals = await attestations.listByIds(
    org,
    ended.map(({ end }) => end.original),
  );
  const byId = new Map(originals.map((original) => [original.id, original]));
  const restored = new Map(
    ended.map(({ override: { id, reportedBy }, end: { until, original } }) => [
      id,
      addFault(byId.get(original), `the override by ${reportedBy} ended on ${until}`),
    ]),
  );
  return new Map([...current].map(([scope, all]) => [scope, all.map((one) => restored.get(one.id) ?? one)]));
}

function addFault(original: RecordedSummary | undefined, value: string): RecordedSummary {
  if (original === undefined) throw new TypeError('the original of an override is missing');
  const { verdict, reason, faults } = original;
  const own = faults.length > 0 || verdict === 'compliant' ? faults : [{ value: reason }];
  return { ...original, faults: [...own, { value }] };
}
