import type { ComplianceClient } from '../../client/client.ts';
import { type Artifact, getArtifact as endpoint } from '../../contract/artifact.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { toArtifactNames } from '../identify-artifacts.ts';
import { type JudgedAnswer, judgeKnown } from '../judged-subjects.ts';
import type { OperationContext } from '../operation.ts';
import { readReasons } from '../reasons.ts';
import { deriveArtifactReasons } from './artifact-reasons.ts';
import { type ArtifactQuery, parseVerdict } from './parse-verdict.ts';

/** What the service answered to a query. */
export interface ArtifactAnswer extends JudgedAnswer {
  /** Absent if nobody reported it. */
  readonly artifact?: Artifact;
}

/**
 * Looks an artifact up.
 *
 * @throws Failure if the service gives no answer that can be relied on, or has no such flow
 */
export function lookUpArtifact(
  query: ArtifactQuery,
  client: ComplianceClient,
  { org }: OperationContext,
): Promise<ArtifactAnswer> {
  const { fingerprint, flow, trail, attestationId } = query;
  const place = trail === undefined ? `flow ${flow}` : `trail ${trail} of flow ${flow}`;
  const as = attestationId === undefined ? '' : ` as ${attestationId}`;
  const unknown = { about: toArtifactNames(query).name, value: `not reported to ${place}${as}` };
  return judgeKnown<ArtifactAnswer>(
    async () => {
      const { body: artifact } = await client.call(endpoint, {
        parameters: { org, flow_name: flow, fingerprint },
        query: omitUndefined({ trail, attestation_id: attestationId }),
      });
      const verdict = parseVerdict(artifact, query);
      if (verdict === 'compliant') return { artifact, verdict, reasons: [] };
      const answered = readReasons(artifact.reasons);
      const { name } = toArtifactNames(query, artifact);
      return {
        artifact,
        verdict,
        reasons: answered.length > 0 ? answered : deriveArtifactReasons(artifact, verdict, name),
      };
    },
    { resource: 'Artifact', named: fingerprint, ...unknown },
  );
}
