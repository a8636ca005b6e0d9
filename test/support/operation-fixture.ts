import { type ActionJob, jobCommit } from './action-job.ts';
import { createNotification, createServiceAccount } from './administration.ts';
import { pod, provenancePolicy, reportPods, saveEnvironment, savePolicy } from './environment-samples.ts';
import { aPod, podList } from './pods.ts';
import { accepted } from './service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow } from './service-samples.ts';
import { webhookPayloadWith } from './sonar-analysis.ts';

/** The data in the service and in the workspace for steps of every operation. */
export interface OperationFixture {
  /** Keys in addition to the job's own. */
  readonly keys: Readonly<Record<'reader' | 'foreign' | 'unknown', string>>;
}

/** The fingerprint of the only compliant artifact in the flow `web`. */
export const compliantFingerprint = fingerprintOf('abcdef');
/** The first digits of the fingerprints of two artifacts in the flow `web`. */
export const sharedDigits = '12345';

/**
 * Fills the service: a flow `web` with artifacts; the environments `prod` (two snapshots, the policy `attached`),
 * `machines` (of another kind), and those that only one step changes (`still`, `attaching`, `detaching`); the policies
 * `attached` and `loose`, a notification and service accounts; and the workspace with the files that steps send.
 */
export async function openOperationFixture({
  service,
  workspace,
}: Pick<ActionJob, 'service' | 'workspace'>): Promise<OperationFixture> {
  await accepted(saveFlow(service));
  for (const digits of ['abcdef', `${sharedDigits}a`, `${sharedDigits}b`])
    await accepted(report(service, { fingerprint: fingerprintOf(digits) }));
  await accepted(attest(service, sampleAttestation('OK')));
  for (const name of ['attached', 'loose']) await accepted(savePolicy(service, name));
  for (const name of ['prod', 'detaching']) await accepted(saveEnvironment(service, name, { policies: ['attached'] }));
  for (const name of ['still', 'attaching']) await accepted(saveEnvironment(service, name));
  await accepted(saveEnvironment(service, 'machines', { type: 'server' }));
  for (const digits of ['1', 'abcdef']) await accepted(reportPods(service, 'prod', pod('web-1', { web: digits })));
  await accepted(createNotification(service));
  for (const name of ['ci', 'doomed']) await accepted(createServiceAccount(service, { name }));

  await workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
  await workspace.write('pods.json', JSON.stringify(podList(aPod('web-1'))));
  await workspace.write('policy.yaml', provenancePolicy);
  await workspace.write('no-policy.yaml', `${provenancePolicy}unheard: of\n`);
  return {
    keys: {
      reader: await service.createKey('reader'),
      foreign: await service.createOrganization('elsewhere'),
      unknown: `nobody_${'n'.repeat(43)}`,
    },
  };
}
