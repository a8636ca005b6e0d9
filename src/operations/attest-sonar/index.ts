import { revisionKeys, sonarKind } from '../../contract/attestations/sonar.ts';
import { gatherSonar, type SonarEvidence } from '../../evidence/sonar/gather-sonar.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { defineAttestOperation } from '../attest/define-attest-operation.ts';
import {
  sonarHostUrl,
  sonarReportPath,
  sonarTimeout,
  sonarToken,
  unverifiedRevision,
} from '../inputs/evidence-inputs.ts';
import { optional, withDefault } from '../inputs/input.ts';
import { createSonarResult } from './sonar-result.ts';

/** Operation 7: records the Sonar analysis of a commit, with files, and judges by its quality gate. */
export const attestSonar = defineAttestOperation({
  kind: sonarKind,
  defaultName: 'sonar',
  inputs: {
    sonarReportPath: optional(sonarReportPath),
    sonarHostUrl: optional(sonarHostUrl),
    sonarToken: optional(sonarToken),
    sonarTimeoutSeconds: withDefault(sonarTimeout, 300),
    unverifiedRevision: withDefault(unverifiedRevision, 'warn'),
  },
  reservedKeys: Object.values(revisionKeys),
  gatherTitle: 'Collect the Sonar analysis',
  async gather(values, { info, committedAt }, { workspace, job, call }) {
    const sonar = await gatherSonar(
      {
        reportPath: values.sonarReportPath,
        hostUrl: values.sonarHostUrl,
        token: values.sonarToken,
        timeoutMilliseconds: values.sonarTimeoutSeconds * 1000,
        workspace,
        expected: { sha: info.sha1, committedAt },
        unverifiedRevision: values.unverifiedRevision,
        event: { name: job.eventName, sha: job.sha, isCommitGiven: values.commitSha !== undefined },
      },
      call,
    );
    return { sonar, data: revisionData(sonar) };
  },
  toDocument: (common, { sonar }) => ({ ...common, sonar_results: sonar.results }),
  toResult: ({ gathered, ...attested }) => createSonarResult({ ...attested, sonar: gathered.sonar }),
});

function revisionData({ unverifiedReason }: SonarEvidence): Mapping {
  return unverifiedReason === undefined
    ? { [revisionKeys.verified]: true }
    : { [revisionKeys.verified]: false, [revisionKeys.reason]: unverifiedReason };
}
