import type { ArtifactState } from '../../contract/compliance.ts';
import type { Flow } from '../flow/flow.ts';
import type { FlowFilter, FlowHead } from '../flow/flow-records.ts';
import { loadTrailStates, type TrailState } from './load-trail-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

/** A query for trails of a flow with their states. */
export interface TrailStateQuery {
  readonly org: string;
  readonly flow: string;
  /** Only trails whose name begins with this text, sorted by name instead of the latest first. */
  readonly namePrefix?: string | undefined;
  /** Only trails in this state. */
  readonly state?: ArtifactState | undefined;
  /** How many trails to skip. */
  readonly offset: number;
  readonly limit: number;
}

/** A part of the trails of a flow. */
export interface TrailStates {
  readonly flow: Flow;
  readonly trails: readonly TrailState[];
  /** The offset of the next part; undefined if no trail is left. */
  readonly next: number | undefined;
  /** The number of trails of the flow, or of those with the prefix. */
  readonly total: number;
}

/** How many trails are judged at most to find those in one state: a limit of time. A further request continues. */
const maximumJudged = 100;

/** How many trails are judged before other requests get their turn. */
const batchSize = 10;

/** Lists trails of a flow with their states, the latest first; undefined if there is no such flow. */
export async function listTrailStates(
  { storage, judging }: Dependencies,
  { org, flow: name, namePrefix, state, offset, limit }: TrailStateQuery,
): Promise<TrailStates | undefined> {
  const filter = { flow: name, namePrefix };
  const found = await storage.read(async ({ flows, trails }) => {
    const flow = await flows.find(org, name);
    if (flow === undefined) return undefined;
    const part = { offset, limit: state === undefined ? limit : maximumJudged };
    return { flow, listed: await trails.list(org, filter, part), total: await trails.count(org, filter) };
  });
  if (found === undefined) return undefined;
  const { flow, listed, total } = found;
  const selected: TrailState[] = [];
  let judged = 0;
  while (judged < listed.length && selected.length < limit) {
    const batch = listed.slice(judged, judged + batchSize);
    await judging.turns.next();
    const states = await storage.read((transaction) => loadTrailStates(transaction, flow, batch));
    for (const one of states) {
      if (selected.length === limit) break;
      judged += 1;
      if (state === undefined || one.judgement.state === state) selected.push(one);
    }
  }
  const next = offset + judged;
  return { flow, trails: selected, next: next < total ? next : undefined, total };
}

/** A flow with its latest trails, the latest first. */
export interface FlowOverview {
  readonly flow: FlowHead;
  readonly trails: readonly TrailState[];
}

/** A query for flows with their latest trails. */
export interface FlowOverviewQuery extends FlowFilter {
  readonly org: string;
  readonly offset: number;
  readonly limit: number;
  /** How many trails of each flow. */
  readonly trails: number;
}

/** Lists flows by name with the states of their latest trails, and the number of all flows that match. */
export async function listFlowOverviews(
  { storage, judging }: Dependencies,
  { org, offset, limit, trails: count, ...filter }: FlowOverviewQuery,
): Promise<{ readonly flows: readonly FlowOverview[]; readonly total: number }> {
  const { heads, total } = await storage.read(async ({ flows }) => ({
    heads: await flows.list(org, filter, { offset, limit }),
    total: await flows.count(org, filter),
  }));
  const overviews: FlowOverview[] = [];
  for (const head of heads) {
    await judging.turns.next();
    const trails = await storage.read(async (transaction) => {
      const flow = await transaction.flows.find(org, head.name);
      if (flow === undefined) return [];
      const latest = await transaction.trails.list(org, { flow: head.name }, { offset: 0, limit: count });
      return loadTrailStates(transaction, flow, latest);
    });
    overviews.push({ flow: head, trails });
  }
  return { flows: overviews, total };
}

/** Finds the trails of all flows whose name begins with a text, by name. */
export function findTrailsByName(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, namePrefix, limit }: { readonly org: string; readonly namePrefix: string; readonly limit: number },
): Promise<readonly { readonly flow: string; readonly name: string; readonly createdAt: number }[]> {
  return storage.read(({ trails }) => trails.list(org, { namePrefix }, { offset: 0, limit }));
}
