import { unixSeconds } from '../../runtime/clock.ts';
import { mayReadEnvironment, type Reader, readsEverything } from '../account/readable-parts.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { TrendChoice } from '../platform/rate.ts';
import { listConditions, type PolicyRules } from '../policy/policy-rules.ts';
import { type FlowTrend, loadFlowTrends } from '../trail/trail-trend-use-cases.ts';
import { type LeadTimeSummary, summarizeLeadTimes } from './lead-times.ts';

/** A policy that decides about the artifacts of a flow. */
export interface FlowPolicy {
  readonly name: string;
  /** The environments that it is attached to and in which artifacts of the flow run. */
  readonly environments: readonly string[];
  /** Whether a condition of its rules names the flow. */
  readonly isNamed: boolean;
}

/** The trend of a flow, its lead times, and the policies that apply to its artifacts. */
export interface FlowDelivery {
  readonly trend: FlowTrend;
  /** The lead times of the latest trails that the trend counts. */
  readonly leadTimes: readonly LeadTimeSummary[];
  readonly policies: readonly FlowPolicy[];
}

/** How many of the latest trails the lead times summarize. */
export const leadTimeTrails = 100;

/** Loads the delivery of a flow. Environments that the caller may not read are left out. */
export async function loadFlowDelivery(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  caller: Reader,
  flow: string,
  choice: TrendChoice,
): Promise<FlowDelivery | undefined> {
  const { org } = caller;
  return storage.read(async (transaction) => {
    const trends = await loadFlowTrends(transaction, org, [flow], choice, unixSeconds(now()));
    const trend = trends.get(flow);
    if (trend === undefined) return undefined;
    const selection = { branch: trend.branch, from: trend.trend.weeks[0]?.from };
    const trails = await transaction.trails.listSelected(org, flow, selection, { offset: 0, limit: leadTimeTrails });
    const starts = new Map(
      trails.map(({ name, createdAt, report }) => [name, report.git_commit_info?.timestamp ?? createdAt]),
    );
    const runs = await transaction.artifacts.listFirstRuns(org, flow, [...starts.keys()]);
    const readable = runs.filter(({ environment }) => mayReadEnvironment(caller, environment));
    return {
      trend,
      leadTimes: summarizeLeadTimes(starts, readable),
      policies: await listFlowPolicies(transaction, caller, flow),
    };
  });
}

async function listFlowPolicies(
  { environments, policies }: Pick<ReadTransaction, 'environments' | 'policies'>,
  caller: Reader,
  flow: string,
): Promise<readonly FlowPolicy[]> {
  const { org } = caller;
  const running = (await environments.listRunning({ org, flow })).filter((name) => mayReadEnvironment(caller, name));
  const attached = await Promise.all(
    running.map(async (environment) =>
      (await environments.listPolicies(org, environment)).map((policy) => ({ policy, environment })),
    ),
  );
  const places = Map.groupBy(attached.flat(), ({ policy }) => policy);
  // The names of policies that apply nowhere the caller may read are hidden, too.
  const known = readsEverything(caller)
    ? (await policies.list(org, { versions: 1, events: 1, texts: 0 })).map(({ name }) => name)
    : [...places.keys()];
  return (await policies.listLatest(org, known)).flatMap(({ name, rules }) => {
    // The rules were checked when this service stored them.
    const isNamed = listConditions(JSON.parse(rules) as PolicyRules).some(
      ([, condition]) => condition.includes(`"${flow}"`) || condition.includes(`'${flow}'`),
    );
    const where = (places.get(name) ?? []).map(({ environment }) => environment).sort();
    return isNamed || where.length > 0 ? [{ name, environments: where, isNamed }] : [];
  });
}
