import {
  currentEvidence,
  toReportScopes,
  toTargetScopes,
  toTrailScopes,
  type Scope,
} from '../attestation/evidence-scope.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import type { Flow } from '../flow/flow.ts';
import type { Trail, TrailReference } from './trail.ts';
import { isListTemplate, type AppliedTemplate } from '../template/template.ts';
import type { TrailDetails } from './trail-details.ts';
import { judgeTrail, listRequiredArtifacts, type TrailArtifact } from './trail-state.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { findAppliedTemplates } from '../template/template-use-cases.ts';

/** The maximum length of each list in the details and the history of a trail. */
export const maximumTrailEntries = 100;

/** The maximum number of reports to a trail in which its artifacts are looked for. */
const maximumReports = 500;

/** Loads a trail with its state and the latest reports to it; undefined if it does not exist. */
export async function loadTrail(
  transaction: ReadTransaction,
  reference: TrailReference,
): Promise<TrailDetails | undefined> {
  const { flows, trails, attestations } = transaction;
  const { org, flow: flowName, name } = reference;
  const flow = await flows.find(org, flowName);
  const trail = await trails.find(reference);
  if (flow === undefined || trail === undefined) return undefined;
  const [loaded] = await loadTrailStates(transaction, flow, [trail]);
  if (loaded === undefined) return undefined;
  const { reports, ...state } = loaded;
  return {
    ...state,
    artifacts: reports.slice(0, maximumTrailEntries),
    attestations: await attestations.listByTrail({ org, flow: flowName }, name, maximumTrailEntries),
  };
}

export interface TrailState extends Pick<TrailDetails, 'trail' | 'applied' | 'judgement'> {
  /** The latest reports to it, newest first. */
  readonly reports: readonly ReportedArtifact[];
}

/** Loads the states of trails of a flow, with one lookup for all of them where the storage can share it. */
export async function loadTrailStates(
  transaction: Pick<ReadTransaction, 'trails' | 'artifacts' | 'attestations'>,
  flow: Flow,
  trails: readonly Trail[],
): Promise<readonly TrailState[]> {
  const names = trails.map(({ name }) => name);
  const findApplied = await findAppliedTemplates(transaction, flow, names);
  const reported = await Promise.all(
    trails.map(async (trail) => {
      const reports = await transaction.artifacts.listByTrail(trail.org, flow.name, trail.name, maximumReports);
      return { trail, applied: findApplied(trail.name), reports };
    }),
  );
  return Promise.all(reported.map(async (one) => ({ ...one, judgement: await judge(transaction, one) })));
}

async function judge(
  { attestations }: Pick<ReadTransaction, 'attestations'>,
  { applied, trail, reports }: Omit<TrailState, 'judgement'>,
): Promise<TrailDetails['judgement']> {
  const { org, flow, name } = trail;
  const artifacts = listArtifacts(applied, trail, reports);
  const own = toTrailScopes(name);
  const scopes = new Set([...own, ...artifacts.flatMap((artifact) => artifact.scopes)]);
  const current = await attestations.listCurrent({ org, flow }, [...scopes]);
  return judgeTrail({
    applied,
    evidence: currentEvidence(applied.template, own, current),
    artifacts: artifacts.map(({ scopes: among, ...artifact }) => ({
      ...artifact,
      evidence: currentEvidence(applied.template, among, current),
    })),
  });
}

/** An artifact with the scopes in which its evidence is found. */
interface LocatedArtifact extends Omit<TrailArtifact, 'evidence'> {
  readonly scopes: readonly Scope[];
}

/** The artifacts that were reported, under the latest report of each name, and those that the template misses. */
function listArtifacts(
  { template }: AppliedTemplate,
  { name: trail, report }: Trail,
  reports: readonly ReportedArtifact[],
): readonly LocatedArtifact[] {
  const latest = new Map<string, ReportedArtifact>();
  for (const reported of reports) {
    const name = reported.report.template_reference_name ?? reported.report.filename;
    if (!latest.has(name)) latest.set(name, reported);
  }
  // A list requires an artifact, whatever its name.
  const isAnyEnough = isListTemplate(template) && latest.size > 0;
  const named = new Set(reports.map((reported) => reported.report.template_reference_name));
  const missing = isAnyEnough ? [] : listRequiredArtifacts(template).filter((name) => !named.has(name));
  return [
    ...[...latest].map(([name, reported]) => ({ name, reported, scopes: toReportScopes(reported) })),
    ...missing.map((name) => {
      const scopes = [...toTargetScopes(trail, name, report.git_commit_info?.sha1), ...toTrailScopes(trail)];
      return { name, reported: undefined, scopes };
    }),
  ];
}
