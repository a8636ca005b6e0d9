import { type ActionJob, jobCommit } from './action-job.ts';
import { createNotification, createServiceAccount } from './administration.ts';
import { aPod, podList } from './pods.ts';
import { type Call, call } from './service-call.ts';
import { attestationForm, fingerprintOf, sampleArtifact, sampleAttestation, sampleFlow } from './service-samples.ts';
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

/** A policy that every artifact with provenance satisfies. */
export const policyText = [
  '_schema: https://compliance.example.com/schemas/policy/environment/v1',
  'artifacts:',
  '  provenance:',
  '    required: true',
  '',
].join('\n');

/**
 * Fills the service: a flow `web` with artifacts; the environments `prod` (two snapshots, the policy `attached`),
 * `machines` (of another kind), and those that only one step changes (`still`, `attaching`, `detaching`); the policies
 * `attached` and `loose`, a notification and service accounts; and the workspace with the files that steps send.
 */
export async function openOperationFixture({
  service,
  workspace,
}: Pick<ActionJob, 'service' | 'workspace'>): Promise<OperationFixture> {
  const { org } = service;
  const send = async (sent: Call): Promise<void> => {
    const { status, text } = await call(service, sent);
    if (status >= 300) throw new Error(`${sent.path}: ${status} ${text}`);
  };
  const put = (path: string, json: unknown): Promise<void> => send({ method: 'PUT', path, json });
  await put(`/flows/${org}`, sampleFlow());
  for (const fingerprint of [
    compliantFingerprint,
    fingerprintOf(`${sharedDigits}a`),
    fingerprintOf(`${sharedDigits}b`),
  ]) {
    await send({ method: 'POST', path: `/artifacts/${org}/web`, json: sampleArtifact({ fingerprint }) });
  }
  const form = attestationForm(sampleAttestation('OK'));
  await send({ method: 'POST', path: `/attestations/${org}/web/trail/main/sonar`, form });
  for (const name of ['attached', 'loose']) {
    const upload = new FormData();
    upload.set('payload', JSON.stringify({ name }));
    upload.set('policy_file.0', new Blob([policyText]), 'policy.yaml');
    await send({ method: 'PUT', path: `/policies/${org}`, form: upload });
  }
  await put(`/environments/${org}`, { name: 'prod', type: 'K8S', policies: ['attached'] });
  for (const name of ['still', 'attaching']) await put(`/environments/${org}`, { name, type: 'K8S' });
  await put(`/environments/${org}`, { name: 'detaching', type: 'K8S', policies: ['attached'] });
  await put(`/environments/${org}`, { name: 'machines', type: 'server' });
  const pod = (digest: string): unknown => ({
    artifacts: [{ podName: 'web-1', namespace: 'shop', creationTimestamp: 1, digests: { web: digest } }],
  });
  await put(`/environments/${org}/prod/report/K8S`, pod(fingerprintOf('1')));
  await put(`/environments/${org}/prod/report/K8S`, pod(compliantFingerprint));
  await createNotification(service);
  await createServiceAccount(service, { name: 'ci' });
  await createServiceAccount(service, { name: 'doomed' });

  await workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
  await workspace.write('pods.json', JSON.stringify(podList(aPod('web-1'))));
  await workspace.write('policy.yaml', policyText);
  await workspace.write('no-policy.yaml', `${policyText}unheard: of\n`);
  return {
    keys: {
      reader: await service.createKey('reader'),
      foreign: await service.createOrganization('elsewhere'),
      unknown: `nobody_${'n'.repeat(43)}`,
    },
  };
}
