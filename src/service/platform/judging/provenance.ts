import { type Audience, countsForAudience, describeAudience } from '../../account/audience.ts';
import type { ArtifactDetails, ReportedArtifact } from '../../artifact/artifact.ts';
import {
  judgeArtifact,
  type JudgedDetails,
  locateArtifactReasons,
  type UncountedEvidence,
} from '../../artifact/artifact-state.ts';
import type { CountedAttestation } from '../../attestation/attestation.ts';
import {
  type EvidenceRecords,
  listEffectiveEvidence,
  markReport,
} from '../../attestation/effective-evidence-use-cases.ts';
import { currentEvidence, selectForAudience, toReportScopes } from '../../attestation/evidence-scope.ts';
import type { ArtifactInFlow, JudgedArtifact } from '../../policy/judged-artifact.ts';
import type { JudgementBudget } from '../../requirement/judgement-budget.ts';
import { listFingerprints, type RunningArtifact } from '../../snapshot/running-artifact.ts';
import type { Provenance } from '../../snapshot/snapshot-events.ts';
import { conditionLength, countNames, listTemplateRecorders } from '../../template/template.ts';
import { findAppliedTemplates } from '../../template/template-use-cases.ts';
import type { ReadTransaction } from '../database/storage.ts';

/**
 * Finds the latest reported builds of artifacts that count for an environment, by fingerprint. Others are left out, as
 * unreported artifacts are.
 */
export async function loadProvenance(
  { artifacts }: Pick<ReadTransaction, 'artifacts'>,
  { org, environment }: { readonly org: string; readonly environment: string },
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, Provenance>> {
  const latest = await artifacts.findLatestInAnyFlow(org, fingerprints, { environment });
  return new Map([...latest].map(([fingerprint, artifact]) => [fingerprint, toProvenance(artifact)]));
}

function toProvenance({ flow, report }: ReportedArtifact): Provenance {
  return { flow, commit: report.git_commit, commitUrl: report.commit_url, buildUrl: report.build_url };
}

/** The cost of loading each of these, in steps of a judgement. */
const stepsPer = { artifact: 50, flow: 50, evidence: 10, conditionCharacter: 0.1 } as const;

/** How many artifacts are loaded in one step. Each can be in any number of flows. */
const batchSize = 16;

type EvidenceReaders = EvidenceRecords & Pick<ReadTransaction, 'artifacts' | 'flows' | 'trails'>;
type ArtifactReaders = EvidenceReaders & Pick<ReadTransaction, 'allowList'>;

/** Whose records are judged, and the time of the judgement in Unix seconds. */
export interface OrganizationAt {
  readonly org: string;
  readonly at: number;
}

/** Whose verdict it is. */
export interface PolicyAudience extends Audience {
  /** The recorders that its policies name (`from`). */
  readonly recorders: readonly string[];
}

/**
 * Loads running artifacts as policies judge them: by what counts for the audience.
 *
 * @throws BudgetExceededError
 */
export async function loadJudgedArtifacts(
  readers: ArtifactReaders,
  { org, at }: OrganizationAt,
  running: readonly Pick<RunningArtifact, 'name' | 'fingerprint'>[],
  audience: PolicyAudience,
  budget: JudgementBudget,
): Promise<readonly JudgedArtifact[]> {
  budget.spend(running.length * stepsPer.artifact);
  const fingerprints = listFingerprints(running);
  const known = new Map<string, Pick<JudgedArtifact, 'flows' | 'uncounted'>>();
  for (let start = 0; start < fingerprints.length; start += batchSize) {
    const batch = fingerprints.slice(start, start + batchSize);
    const reports = await readers.artifacts.listLatestByFlow(org, batch, audience);
    const judged = await judgeReports(readers, { org, at }, [...reports.values()].flat(), budget, audience);
    for (const [fingerprint, artifactReports] of reports) {
      known.set(fingerprint, { flows: artifactReports.flatMap((report) => judged.get(report) ?? []) });
    }
    const others = batch.filter((fingerprint) => !reports.has(fingerprint));
    if (others.length === 0) continue;
    for (const fingerprint of (await readers.artifacts.findLatestInAnyFlow(org, others)).keys()) {
      known.set(fingerprint, { flows: [], uncounted: describeAudience(audience) });
    }
  }
  const { environment } = audience;
  const allowed =
    environment === undefined ? undefined : await readers.allowList.findAmong(org, environment, fingerprints);
  return running.map(({ name, fingerprint }) => {
    const isAllowed = allowed?.has(fingerprint) ?? false;
    return { name, fingerprint, isAllowed, ...(known.get(fingerprint) ?? { flows: [] }) };
  });
}

export interface JudgedReport extends ArtifactInFlow {
  readonly details: Pick<ArtifactDetails, 'applied' | 'artifact' | 'evidence'> & Pick<JudgedDetails, 'uncounted'>;
}

/**
 * Judges the reports of a list, in its order. Lists are short, so the work is not limited.
 *
 * @param audience whose verdict it is; undefined for that of their trails and flows
 */
export async function judgeListedReports(
  readers: EvidenceReaders,
  organization: OrganizationAt,
  reports: readonly ReportedArtifact[],
  audience?: PolicyAudience,
): Promise<readonly JudgedReport[]> {
  const judged: JudgedReport[] = [];
  for (let start = 0; start < reports.length; start += batchSize) {
    const batch = reports.slice(start, start + batchSize);
    const found = await judgeReports(readers, organization, batch, undefined, audience);
    judged.push(...batch.flatMap((report) => found.get(report) ?? []));
  }
  return judged;
}

function listUncounted(evidence: readonly CountedAttestation[], audience: Audience): UncountedEvidence | undefined {
  const others = evidence.filter(({ countsFor }) => !countsForAudience(countsFor, audience));
  return others.length === 0 ? undefined : { audience, evidence: others };
}

async function judgeReports(
  readers: EvidenceReaders,
  { org, at }: OrganizationAt,
  reports: readonly ReportedArtifact[],
  budget: JudgementBudget | undefined,
  audience: PolicyAudience | undefined,
): Promise<ReadonlyMap<ReportedArtifact, JudgedReport>> {
  budget?.spend(reports.length * stepsPer.flow);
  const judged = new Map<ReportedArtifact, JudgedReport>();
  for (const [name, flowReports] of Map.groupBy(reports, (report) => report.flow)) {
    const flow = await readers.flows.find(org, name);
    if (flow === undefined) continue;
    const findApplied = await findAppliedTemplates(
      readers,
      flow,
      flowReports.map(({ report }) => report.trail_name),
    );
    const scopes = new Set(flowReports.flatMap(toReportScopes));
    const named = flowReports.flatMap(({ report }) => listTemplateRecorders(findApplied(report.trail_name)));
    const from = [...new Set([...named, ...(audience?.recorders ?? [])])];
    const recorded = await listEffectiveEvidence(readers, { org, flow: name, at, from }, [...scopes]);
    const current = selectForAudience(recorded, audience);
    for (const artifact of flowReports) {
      const applied = findApplied(artifact.report.trail_name);
      const artifactScopes = toReportScopes(artifact);
      const evidence = currentEvidence(applied.template, artifactScopes, current);
      const { template } = applied;
      budget?.spend((countNames(template) + evidence.length) * stepsPer.evidence);
      budget?.spend(Math.ceil(conditionLength(template) * stepsPer.conditionCharacter));
      const uncounted = audience && listUncounted(currentEvidence(template, artifactScopes, recorded), audience);
      const marked = await markReport(readers, artifact, template);
      const details = { applied, artifact: marked, evidence, uncounted };
      const judgement = judgeArtifact(details);
      const reasons = locateArtifactReasons(judgement.reasons, details);
      judged.set(artifact, { flow: name, tags: flow.tags, ...judgement, reasons, evidence, uncounted, details });
    }
  }
  return judged;
}
