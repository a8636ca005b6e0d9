import type { ReadTransaction } from '../platform/database/storage.ts';
import { secondsOfDay, toPeriods, toTrend, type Trend, type TrendChoice } from '../platform/rate.ts';
import type { FaultCount } from './trail-records.ts';

export interface FlowTrend {
  /** The default branch, whose trails are counted; undefined for all trails. */
  readonly branch: string | undefined;
  readonly trend: Trend;
}

type Records = Pick<ReadTransaction, 'trails'>;

/** The default branch is not reported, so it is the first of these of which the flow has a trail. */
const defaultBranches = ['main', 'master'];

export async function loadFlowTrends(
  { trails }: Records,
  org: string,
  flows: readonly string[],
  { days, isAllBranches }: TrendChoice,
  now: number,
): Promise<ReadonlyMap<string, FlowTrend>> {
  const branches = new Map<string, string>();
  for (const branch of isAllBranches ? [] : defaultBranches) {
    const others = flows.filter((flow) => !branches.has(flow));
    for (const flow of await trails.listFlowsOnBranch(org, others, branch)) branches.set(flow, branch);
  }
  const periods = toPeriods(days, now);
  const trends = new Map<string, FlowTrend>();
  for (const [branch, names] of Map.groupBy(flows, (flow) => branches.get(flow))) {
    const counts = new Map(
      await Promise.all(
        periods.map(async (period) => [period, await trails.countCompliant(org, names, branch, period)] as const),
      ),
    );
    for (const name of names) {
      const trend = toTrend(periods, (period) => counts.get(period)?.get(name) ?? { good: 0, total: 0 });
      trends.set(name, { branch, trend });
    }
  }
  return trends;
}

/** How many of the latest trails that are not compliant are searched for faults. */
const maximumSearched = 1000;

/**
 * Lists what fails or is missing most in the trails that trends count: the most frequent first, then by name. Counts from
 * the beginning of the first day, as the list does to which pages link.
 */
export async function listFrequentFaults(
  { trails }: Records,
  org: string,
  trends: ReadonlyMap<string, FlowTrend>,
  limit: number,
): Promise<readonly FaultCount[]> {
  const found: FaultCount[] = [];
  for (const [branch, flows] of Map.groupBy(trends, ([, trend]) => trend.branch)) {
    const begin = flows[0]?.[1].trend.weeks[0]?.from ?? 0;
    const from = begin - (begin % secondsOfDay);
    const names = flows.map(([name]) => name);
    found.push(...(await trails.countFaults(org, names, branch, from, maximumSearched)));
  }
  const place = ({ name, flow, state }: FaultCount): string => JSON.stringify([name, flow, state]);
  return found
    .toSorted((one, other) => other.trails - one.trails || (place(one) < place(other) ? -1 : 1))
    .slice(0, limit);
}
