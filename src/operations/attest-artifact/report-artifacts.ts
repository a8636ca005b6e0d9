import { reportArtifact as endpoint, type SentArtifactReport } from '../../contract/artifact-report.ts';
import { Failure } from '../../runtime/failure.ts';
import { deliverEvidence, type KeptEvidence } from '../deliver-evidence.ts';
import type { deliveryInputs } from '../inputs/delivery-inputs.ts';
import type { ValuesOf } from '../inputs/input.ts';
import type { OperationContext } from '../operation.ts';
import type { BuiltArtifact } from './gather-artifacts.ts';

export interface ReportOutcome extends BuiltArtifact {
  readonly state: 'recorded' | 'kept' | 'failed' | 'not sent';
  /** The service's answer, if it recorded the artifact. */
  readonly response?: { readonly message?: string; readonly html_url?: string };
  readonly kept?: KeptEvidence;
  /** Why it was not recorded. */
  readonly failure?: Failure;
}

export interface CommonReport extends ValuesOf<typeof deliveryInputs> {
  readonly flow: string;
  /** When the artifacts were gathered, in milliseconds since the epoch. */
  readonly gatheredAt: number;
  readonly toDocument: (artifact: BuiltArtifact) => SentArtifactReport;
}

/**
 * Reports artifacts one after the other. After a failure, the rest is not sent.
 *
 * @throws what stops the step: a dry run, a cancellation; the failure, if there is only one artifact
 */
export async function reportArtifacts(
  artifacts: readonly BuiltArtifact[],
  { flow, toDocument, ...settings }: CommonReport,
  context: OperationContext,
): Promise<readonly ReportOutcome[]> {
  const { org, call } = context;
  const reported: ReportOutcome[] = [];
  for (const artifact of artifacts) {
    if (reported.some(({ state }) => state === 'failed')) {
      reported.push({ ...artifact, state: 'not sent' });
      continue;
    }
    try {
      const { answer, kept, lost } = await deliverEvidence(
        endpoint,
        { parameters: { org, flow_name: flow }, document: toDocument(artifact) },
        settings,
        context,
      );
      if (lost !== undefined) throw lost;
      if (kept === undefined) reported.push({ ...artifact, state: 'recorded', response: answer.body });
      else reported.push({ ...artifact, state: 'kept', kept });
    } catch (error) {
      if (artifacts.length === 1 || !(error instanceof Failure) || call.signal?.aborted === true) throw error;
      reported.push({ ...artifact, state: 'failed', failure: error });
    }
  }
  return reported;
}
