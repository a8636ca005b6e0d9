import { type Verdict, worstVerdict } from '../../contract/compliance.ts';
import { verdictFromReasons } from '../../contract/reason.ts';
import { describeAudience } from '../account/audience.ts';
import { type JudgementReason, orderReasons } from '../attestation/reasons.ts';
import { nameArtifact } from '../policy/judged-artifact.ts';
import { code, toDeploymentComment } from './check-output.ts';

/** The verdict on an artifact, or why there is none. */
export type ArtifactVerdict =
  | {
      readonly outcome: 'judged';
      /** The name of the artifact. */
      readonly name: string;
      readonly compliant: boolean;
      readonly reasons: readonly JudgementReason[];
    }
  | { readonly outcome: 'flow not found' | 'artifact not found' | 'environment not found' | 'policy not found' };

export interface JudgedDeployment {
  /** As GitHub calls it. */
  readonly githubEnvironment: string;
  /** The environment that judges it; undefined if the gate names none for that of GitHub. */
  readonly environment: string | undefined;
  /** When it is rejected if it is still incomplete, in Unix seconds. */
  readonly decideAt: number;
  readonly flows: readonly {
    readonly flow: string;
    /** The verdicts on the artifacts of the commit; empty if there are none, `uncounted` if no report of them counts. */
    readonly artifacts: readonly ArtifactVerdict[] | 'too many' | 'uncounted';
  }[];
}

/** An answer to a deployment; without a state it is a status report. */
export interface DeploymentDecision {
  readonly state: 'approved' | 'rejected' | undefined;
  readonly comment: string;
}

/**
 * Decides a deployment: every flow needs an artifact of the commit, and all artifacts must comply with the environment.
 * What is incomplete may still come, until `decideAt`.
 */
export function decideDeployment(deployment: JudgedDeployment, now: number): DeploymentDecision {
  const { githubEnvironment, environment, decideAt, flows } = deployment;
  if (environment === undefined) {
    const remedy = 'Add it to `environments` of the gate, or disable the rule for it.';
    return reject(`Rejected: the environment ${code(githubEnvironment)} is not in the gate. ${remedy}`);
  }
  const faults = flows.flatMap(({ flow, artifacts }) => listFaults(flow, artifacts, environment));
  const verdict = worstVerdict(faults.map((fault) => fault.verdict)) ?? 'compliant';
  const reasons = orderReasons(faults.flatMap((fault) => fault.reasons));
  const where = code(environment);
  if (verdict === 'compliant') {
    const sentence = `Approved: all artifacts of this commit comply with the environment ${where}.`;
    return { state: 'approved', comment: toDeploymentComment(sentence, []) };
  }
  if (verdict === 'non-compliant')
    return reject(`Rejected: this does not comply with the environment ${where}.`, reasons);
  if (now >= decideAt) return reject(`Rejected: this was still missing for ${where} after the wait.`, reasons);
  const until = new Date(decideAt * 1000).toISOString();
  return { state: undefined, comment: toDeploymentComment(`Waits for ${where}, until ${until} at most.`, reasons) };
}

/** The answer if a deployment cannot be judged. */
export function rejectUnjudged(why: string): DeploymentDecision {
  return reject(`Rejected: ${why}`);
}

function reject(sentence: string, reasons: readonly JudgementReason[] = []): DeploymentDecision {
  return { state: 'rejected', comment: toDeploymentComment(sentence, reasons) };
}

interface Faults {
  readonly verdict: Verdict;
  readonly reasons: readonly JudgementReason[];
}

function listFaults(
  flow: string,
  artifacts: JudgedDeployment['flows'][number]['artifacts'],
  environment: string,
): readonly Faults[] {
  const about = `flow ${flow}`;
  if (artifacts === 'too many') return toFaults({ state: 'failed', about, value: 'too many artifacts of this commit' });
  if (artifacts === 'uncounted') {
    const value = `artifacts of this commit are reported only with keys that do not count for ${describeAudience({ environment })}`;
    return toFaults({ state: 'missing', about, value });
  }
  if (artifacts.length === 0) return toFaults({ state: 'missing', about, value: 'no artifact of this commit' });
  return artifacts.flatMap((artifact) => {
    if (artifact.outcome === 'environment not found')
      return toFaults({ state: 'missing', about: `environment ${environment}`, value: 'does not exist' });
    if (artifact.outcome !== 'judged') return toFaults({ state: 'missing', about, value: artifact.outcome });
    const { name, compliant } = artifact;
    if (compliant) return [];
    const reasons = artifact.reasons.map((reason) =>
      reason.about === environment ? reason : nameArtifact(reason, name),
    );
    // Without reasons it is still not compliant.
    return [{ verdict: reasons.length === 0 ? 'non-compliant' : verdictFromReasons(reasons), reasons }];
  });
}

function toFaults(reason: JudgementReason): readonly Faults[] {
  return [{ verdict: verdictFromReasons([reason]), reasons: [reason] }];
}
