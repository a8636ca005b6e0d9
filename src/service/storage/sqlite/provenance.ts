import { currentEvidence, scopesOfReport } from '../../domain/binding.ts';
import type { RunningArtifact } from '../../domain/environment/running-artifact.ts';
import type { Provenance } from '../../domain/environment/snapshot-events.ts';
import { judgeArtifact } from '../../domain/judge-artifact.ts';
import type { ArtifactInFlow, JudgedArtifact } from '../../domain/policy/judged-artifact.ts';
import type { Work } from '../../domain/policy/work.ts';
import type { AttestationSummary, ReportedArtifact } from '../../domain/records.ts';
import { optional } from './answers.ts';
import type { EnvironmentStatements } from './environment-statements.ts';
import { artifactOf, flowOf, number, summaryOf } from './rows.ts';
import type { Statements } from './statements.ts';

/** What reading takes, in the steps of a judgement. */
const stepsOf = { artifact: 50, flow: 50, evidence: 10 } as const;

/** What flows know about the artifacts that run in environments; without awaiting, so that all of it is of one moment. */
export class ProvenanceReader {
  readonly #statements: Statements;
  readonly #own: EnvironmentStatements;

  constructor(statements: Statements, own: EnvironmentStatements) {
    this.#statements = statements;
    this.#own = own;
  }

  /** What its build said, in the flow that heard of it last; undefined for one that no flow knows. */
  latest(org: string, fingerprint: string): Provenance | undefined {
    const artifact = optional(this.#own.latestReportOf.get(org, fingerprint), artifactOf);
    if (artifact === undefined) return undefined;
    const { flow, report } = artifact;
    return { flow, commit: report.git_commit, commitUrl: report.commit_url, buildUrl: report.build_url };
  }

  /**
   * The artifacts as policies look at them.
   *
   * @throws WorkExceeded
   */
  judged(org: string, artifacts: readonly RunningArtifact[], work: Work): readonly JudgedArtifact[] {
    const known = new Map<string, readonly ArtifactInFlow[]>();
    return artifacts.map(({ name, fingerprint }) => {
      work.spend(stepsOf.artifact);
      const flows =
        known.get(fingerprint) ?? this.#reports(org, fingerprint).flatMap((report) => this.#inFlow(report, work));
      known.set(fingerprint, flows);
      return { name, fingerprint, flows };
    });
  }

  #inFlow(artifact: ReportedArtifact, work: Work): readonly ArtifactInFlow[] {
    work.spend(stepsOf.flow);
    const row = this.#statements.findFlow.get(artifact.org, artifact.flow);
    if (row === undefined) return [];
    const flow = flowOf(row);
    const evidence = this.#currentEvidence(artifact);
    work.spend((flow.template.length + evidence.length) * stepsOf.evidence);
    return [{ flow: artifact.flow, ...judgeArtifact({ flow, evidence }), evidence }];
  }

  /** What counts for an artifact: the latest attestation of each name, in the order of recording. */
  #currentEvidence(artifact: ReportedArtifact): readonly AttestationSummary[] {
    const { org, flow } = artifact;
    const scopes = scopesOfReport(artifact);
    const byScope = scopes.map((scope) => {
      const rows = this.#statements.currentEvidence.all(org, flow, scope);
      return [scope, rows.map((row) => ({ ...summaryOf(row), sequence: number(row, 'sequence') }))] as const;
    });
    return currentEvidence(scopes, new Map(byScope));
  }

  /** The latest report of each flow that knows it. */
  #reports(org: string, fingerprint: string): readonly ReportedArtifact[] {
    return this.#own.reportsOf.all(org, fingerprint).map(artifactOf);
  }
}
