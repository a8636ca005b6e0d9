import { currentEvidence, toReportScopes } from '../domain/evidence-scope.ts';
import { listFingerprints, type RunningArtifact } from '../domain/environment/running-artifact.ts';
import type { Provenance } from '../domain/environment/snapshot-events.ts';
import { judgeArtifact } from '../domain/artifact-state.ts';
import type { ArtifactInFlow, JudgedArtifact } from '../domain/policy/judged-artifact.ts';
import { JudgementBudget } from '../domain/policy/judgement-budget.ts';
import { locateReasons } from '../domain/reasons.ts';
import type { ArtifactDetails, ReportedArtifact } from '../domain/records.ts';
import { countNames } from '../domain/template/template.ts';
import type { ReadTransaction } from '../storage/storage.ts';
import { findAppliedTemplates } from './templates.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/** Finds the latest reported builds of artifacts, by fingerprint. Unreported artifacts are left out. */
export function findProvenance(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, fingerprints }: { readonly org: string; readonly fingerprints: readonly string[] },
): Promise<ReadonlyMap<string, Provenance>> {
  return storage.read((transaction) => loadProvenance(transaction, org, fingerprints));
}

/** Like `findProvenance`, within a transaction. */
export async function loadProvenance(
  { artifacts }: Pick<ReadTransaction, 'artifacts'>,
  org: string,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, Provenance>> {
  const latest = await artifacts.findLatestInAnyFlow(org, fingerprints);
  return new Map([...latest].map(([fingerprint, artifact]) => [fingerprint, toProvenance(artifact)]));
}

function toProvenance({ flow, report }: ReportedArtifact): Provenance {
  return { flow, commit: report.git_commit, commitUrl: report.commit_url, buildUrl: report.build_url };
}

/** The cost of loading each of these, in steps of a judgement. */
const stepsPer = { artifact: 50, flow: 50, evidence: 10 } as const;

/** How many artifacts are loaded in one step. Each can be in any number of flows. */
const batchSize = 16;

type EvidenceReaders = Pick<ReadTransaction, 'artifacts' | 'flows' | 'trails' | 'attestations'>;

/**
 * Loads running artifacts as policies judge them.
 *
 * @throws BudgetExceededError
 */
export async function loadJudgedArtifacts(
  readers: EvidenceReaders,
  org: string,
  running: readonly RunningArtifact[],
  budget: JudgementBudget,
): Promise<readonly JudgedArtifact[]> {
  budget.spend(running.length * stepsPer.artifact);
  const fingerprints = listFingerprints(running);
  const known = new Map<string, readonly ArtifactInFlow[]>();
  for (let start = 0; start < fingerprints.length; start += batchSize) {
    const reports = await readers.artifacts.listLatestByFlow(org, fingerprints.slice(start, start + batchSize));
    const judged = await judgeReports(readers, org, [...reports.values()].flat(), budget);
    for (const [fingerprint, artifactReports] of reports) {
      known.set(
        fingerprint,
        artifactReports.flatMap((report) => judged.get(report) ?? []),
      );
    }
  }
  return running.map(({ name, fingerprint }) => ({ name, fingerprint, flows: known.get(fingerprint) ?? [] }));
}

/** One report of an artifact, judged in its flow. */
export interface JudgedReport extends ArtifactInFlow {
  readonly details: Pick<ArtifactDetails, 'flow' | 'applied' | 'artifact' | 'evidence'>;
}

/** Judges the reports of a list, in its order. Lists are short, so the work is not limited. */
export async function judgeListedReports(
  readers: EvidenceReaders,
  org: string,
  reports: readonly ReportedArtifact[],
): Promise<readonly JudgedReport[]> {
  const judged: JudgedReport[] = [];
  for (let start = 0; start < reports.length; start += batchSize) {
    const batch = reports.slice(start, start + batchSize);
    const found = await judgeReports(readers, org, batch, new JudgementBudget());
    judged.push(...batch.flatMap((report) => found.get(report) ?? []));
  }
  return judged;
}

/** Judges reported artifacts, each in its flow. */
async function judgeReports(
  { flows, trails, attestations }: EvidenceReaders,
  org: string,
  reports: readonly ReportedArtifact[],
  budget: JudgementBudget,
): Promise<ReadonlyMap<ReportedArtifact, JudgedReport>> {
  budget.spend(reports.length * stepsPer.flow);
  const judged = new Map<ReportedArtifact, JudgedReport>();
  for (const [name, flowReports] of Map.groupBy(reports, (report) => report.flow)) {
    const flow = await flows.find(org, name);
    if (flow === undefined) continue;
    const findApplied = await findAppliedTemplates(
      { trails },
      flow,
      flowReports.map(({ report }) => report.trail_name),
    );
    const scopes = new Set(flowReports.flatMap(toReportScopes));
    const current = await attestations.listCurrent({ org, flow: name }, [...scopes]);
    for (const artifact of flowReports) {
      const applied = findApplied(artifact.report.trail_name);
      const evidence = currentEvidence(applied.template, toReportScopes(artifact), current);
      budget.spend((countNames(applied.template) + evidence.length) * stepsPer.evidence);
      const details = { flow, applied, artifact, evidence };
      const judgement = judgeArtifact(details);
      const reasons = locateReasons(judgement.reasons, { flow: name, trail: artifact.report.trail_name });
      judged.set(artifact, { flow: name, ...judgement, reasons, evidence, details });
    }
  }
  return judged;
}
