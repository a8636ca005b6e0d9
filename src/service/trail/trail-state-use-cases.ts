import { unixSeconds } from '../../runtime/clock.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import type { LinkedPullRequest } from '../attestation/attestation-records.ts';
import {
  type EvidenceRecords,
  listEffectiveEvidence,
  markReports,
} from '../attestation/effective-evidence-use-cases.ts';
import {
  currentEvidence,
  type Scope,
  toReportScopes,
  toTargetScopes,
  toTrailScopes,
} from '../attestation/evidence-scope.ts';
import type { Flow } from '../flow/flow.ts';
import type { FlowFilter, FlowHead } from '../flow/flow-records.ts';
import type { ListPart } from '../platform/database/database.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { TrendChoice } from '../platform/rate.ts';
import { countsFrom } from '../requirement/recorder.ts';
import {
  type AppliedTemplate,
  findArtifactRecorders,
  isListTemplate,
  listArtifactRecorders,
  listTemplateRecorders,
} from '../template/template.ts';
import { findAppliedTemplates } from '../template/template-use-cases.ts';
import { splitWords } from './search-words.ts';
import type { Trail, TrailDetails, TrailReference } from './trail.ts';
import type { TrailSelection } from './trail-records.ts';
import { judgeTrail, listRequiredArtifacts, type TrailArtifact } from './trail-state.ts';
import { type FlowTrend, loadFlowTrends } from './trail-trend-use-cases.ts';

/** The maximum number of artifacts of a trail that are judged, as many as a template can name. */
const maximumNamed = 1000;

/** The maximum number of pieces of evidence of all artifacts that are judged. Each artifact has that of the trail, too. */
const maximumEvidence = 20_000;

/** The number of artifacts that are judged even if they have more evidence: one can have a few thousand pieces. */
const alwaysJudged = 5;

/**
 * Loads a trail with its state; undefined if it does not exist.
 *
 * @param at the time of the judgement, in Unix seconds
 */
export async function loadTrail(
  transaction: ReadTransaction,
  reference: TrailReference,
  at: number,
): Promise<TrailDetails | undefined> {
  const flow = await transaction.flows.find(reference.org, reference.flow);
  const trail = await transaction.trails.find(reference);
  if (flow === undefined || trail === undefined) return undefined;
  const [loaded] = await loadTrailStates(transaction, flow, [trail], at);
  return loaded;
}

export async function loadTrailStates(
  transaction: EvidenceRecords & Pick<ReadTransaction, 'trails' | 'artifacts'>,
  flow: Flow,
  trails: readonly Trail[],
  at: number,
): Promise<readonly TrailDetails[]> {
  const names = trails.map(({ name }) => name);
  const findApplied = await findAppliedTemplates(transaction, flow, names);
  return Promise.all(
    trails.map(async (trail) => {
      const one = { trail, applied: findApplied(trail.name) };
      const judgement = await judge(transaction, one, at);
      const { state, since } = trail.lastVerdict ?? {};
      return { ...one, judgement, since: state === judgement.state ? since : undefined };
    }),
  );
}

async function judge(
  records: EvidenceRecords & Pick<ReadTransaction, 'artifacts'>,
  { applied, trail }: Pick<TrailDetails, 'applied' | 'trail'>,
  at: number,
): Promise<TrailDetails['judgement']> {
  const { org, flow, name } = trail;
  const ofEachRecorder = listArtifactRecorders(applied.template).length > 0;
  const limits = { ofEachRecorder, limit: maximumNamed };
  const { reports, isComplete } = await records.artifacts.listLatestByName(org, flow, name, limits);
  const marked = await markReports(records, trail, applied.template, reports);
  const listed = listArtifacts(applied, trail, marked);
  const own = toTrailScopes(name);
  const artifacts = (await hasTooMuchEvidence(records, trail, listed)) ? listed.slice(0, alwaysJudged) : listed;
  const scopes = new Set([...own, ...artifacts.flatMap((artifact) => artifact.scopes)]);
  const from = listTemplateRecorders(applied);
  const current = await listEffectiveEvidence(records, { org, flow, at, from }, [...scopes]);
  return judgeTrail({
    ...{ applied, isComplete: isComplete && artifacts.length === listed.length },
    evidence: currentEvidence(applied.template, own, current),
    artifacts: artifacts.map(({ scopes: among, ...artifact }) => ({
      ...artifact,
      evidence: currentEvidence(applied.template, among, current),
    })),
  });
}

/** Whether the artifacts of a trail have more evidence than is judged. */
async function hasTooMuchEvidence(
  { attestations }: EvidenceRecords,
  { org, flow, name }: Trail,
  artifacts: readonly { readonly scopes: readonly Scope[] }[],
): Promise<boolean> {
  if (artifacts.length <= alwaysJudged) return false;
  const own = toTrailScopes(name);
  const others = new Set(artifacts.flatMap(({ scopes }) => scopes).filter((scope) => !own.includes(scope)));
  const count = (scopes: readonly Scope[]): Promise<number> =>
    attestations.countCurrent({ org, flow }, scopes, maximumEvidence + 1);
  return artifacts.length * (await count(own)) + (await count([...others])) > maximumEvidence;
}

/** The first report of each name: the latest one. */
function latestByName(reports: readonly ReportedArtifact[]): readonly ReportedArtifact[] {
  const latest = new Map<string, ReportedArtifact>();
  for (const reported of reports) {
    const { template_reference_name: reference, filename } = reported.report;
    // A file can have the name of an artifact of the template, and be another one.
    const key = reference === undefined ? `file ${filename}` : `artifact ${reference}`;
    if (!latest.has(key)) latest.set(key, reported);
  }
  return [...latest.values()];
}

/** The artifacts that were reported, under the latest report of each name, and those that the template misses. */
function listArtifacts(
  { template }: AppliedTemplate,
  { name: trail, report }: Trail,
  reports: readonly ReportedArtifact[],
): readonly (Omit<TrailArtifact, 'evidence'> & { readonly scopes: readonly Scope[] })[] {
  const isCounting = (reported: ReportedArtifact): boolean =>
    countsFrom(reported, findArtifactRecorders(template, reported.report.template_reference_name));
  const counting = latestByName(reports.filter(isCounting));
  const others = latestByName(reports.filter((reported) => !isCounting(reported)));
  // A list requires an artifact, whatever its name.
  const isAnyEnough = isListTemplate(template) && counting.length > 0;
  const named = new Set(counting.map(({ report: { template_reference_name: reference } }) => reference));
  const missing = isAnyEnough ? [] : listRequiredArtifacts(template).filter((name) => !named.has(name));
  return [
    ...others.map((reported) => ({
      ...{ name: reported.report.filename, reported, isMismatched: true },
      scopes: toReportScopes(reported),
    })),
    ...counting.map((reported) => {
      const { template_reference_name: name = reported.report.filename } = reported.report;
      return { name, reported, scopes: toReportScopes(reported) };
    }),
    ...missing.map((name) => {
      const mismatched = others.find((reported) => reported.report.template_reference_name === name);
      const scopes = [...toTargetScopes(trail, name, report.git_commit_info?.sha1), ...toTrailScopes(trail)];
      return { name, reported: undefined, mismatched, scopes };
    }),
  ];
}

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>;

export interface TrailStateQuery extends ListPart {
  readonly org: string;
  readonly flow: string;
  readonly selection: TrailSelection;
}

export type ListedTrail = TrailDetails & { readonly pullRequest: LinkedPullRequest | undefined };

export interface TrailStates {
  readonly flow: Flow;
  readonly trails: readonly ListedTrail[];
  /** How many trails are selected; `maximumCounted + 1` for more. */
  readonly total: number;
  /** Whether all trails are being judged again, so that selecting by a state can miss some. */
  readonly isRejudged: boolean;
}

/** The maximum number of trails that are counted. */
export const maximumCounted = 1000;

/** How many trails, or flows, are judged before other requests get their turn. */
const batchSize = 10;

/**
 * Lists trails of a flow with their states, the latest first; undefined if there is no such flow. They are selected by
 * their last verdicts, and judged now.
 */
export async function listTrailStates(
  { storage, judging, now }: Dependencies,
  { org, flow: name, selection, offset, limit }: TrailStateQuery,
): Promise<TrailStates | undefined> {
  const found = await storage.read(async ({ flows, trails }) => {
    const flow = await flows.find(org, name);
    if (flow === undefined) return undefined;
    const listed = await trails.listSelected(org, name, selection, { offset, limit });
    const total = await trails.countSelected(org, name, selection, maximumCounted + 1);
    return { flow, listed, total, isRejudged: await trails.isRejudged(org, name) };
  });
  if (found === undefined) return undefined;
  const { flow, listed, ...rest } = found;
  const judged: ListedTrail[] = [];
  for (let first = 0; first < listed.length; first += batchSize) {
    await judging.turns.next();
    const batch = await storage.read(async (transaction) => {
      const states = await loadTrailStates(
        transaction,
        flow,
        listed.slice(first, first + batchSize),
        unixSeconds(now()),
      );
      const ids = states.map(findPullRequestEvidence);
      const linked = await transaction.attestations.listPullRequests(
        org,
        ids.filter((id) => id !== undefined),
      );
      return states.map((state, index) => ({ ...state, pullRequest: linked.get(ids[index] ?? '') }));
    });
    judged.push(...batch);
  }
  return { flow, trails: judged, ...rest };
}

function findPullRequestEvidence({ judgement }: TrailDetails): string | undefined {
  const statuses = [judgement, ...judgement.artifacts].flatMap(({ evidence }) => evidence);
  return statuses.find(({ evidence }) => evidence?.type === 'pull_request')?.evidence?.id;
}

/** A flow with its latest trails, the latest first. */
export interface FlowOverview {
  readonly flow: FlowHead;
  /** The latest trails of the branch that the trend counts, the latest first. */
  readonly trails: readonly TrailDetails[];
  readonly trend: FlowTrend;
}

export interface FlowOverviewQuery extends FlowFilter {
  readonly org: string;
  readonly offset: number;
  readonly limit: number;
  readonly trails: number;
  readonly choice: TrendChoice;
}

/** Lists flows by name with their trends and the states of their latest trails, and the number of all flows that match. */
export async function listFlowOverviews(
  { storage, judging, now }: Dependencies,
  { org, offset, limit, trails: count, choice, ...filter }: FlowOverviewQuery,
): Promise<{ readonly flows: readonly FlowOverview[]; readonly total: number }> {
  const { heads, total, trends } = await storage.read(async ({ flows, trails }) => {
    const listed = await flows.list(org, filter, { offset, limit });
    const names = listed.map(({ name }) => name);
    return {
      heads: listed,
      total: await flows.count(org, filter),
      trends: await loadFlowTrends({ trails }, org, names, choice, unixSeconds(now())),
    };
  });
  const overviews: FlowOverview[] = [];
  for (let first = 0; first < heads.length; first += batchSize) {
    await judging.turns.next();
    const batch = heads.slice(first, first + batchSize);
    const loaded = await storage.read((transaction) =>
      Promise.all(
        batch.map(async (head) => {
          const trend = trends.get(head.name);
          const part = { selection: { branch: trend?.branch }, limit: count };
          const latest = await loadLatest(transaction, org, head.name, part, unixSeconds(now()));
          return trend === undefined ? [] : [{ flow: head, trails: latest, trend }];
        }),
      ),
    );
    overviews.push(...loaded.flat());
  }
  return { flows: overviews, total };
}

async function loadLatest(
  transaction: ReadTransaction,
  org: string,
  name: string,
  { selection, limit }: Pick<TrailStateQuery, 'selection' | 'limit'>,
  at: number,
): Promise<readonly TrailDetails[]> {
  const flow = await transaction.flows.find(org, name);
  if (flow === undefined) return [];
  const latest = await transaction.trails.listSelected(org, name, selection, { offset: 0, limit });
  return loadTrailStates(transaction, flow, latest, at);
}

/** Finds the trails of all flows whose name begins with a text, by name, then those that have all of its words. */
export async function findTrails(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, text, limit }: { readonly org: string; readonly text: string; readonly limit: number },
): Promise<readonly Trail[]> {
  const found = await storage.read(async ({ trails, search }) => [
    ...(await trails.listByName(org, text, limit)),
    ...(await search.find(org, splitWords(text), limit)),
  ]);
  return [...new Map(found.map((trail) => [`${trail.flow}/${trail.name}`, trail])).values()].slice(0, limit);
}
