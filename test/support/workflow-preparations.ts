import { createHash } from 'node:crypto';
import { pod, provenancePolicy, reportPods, saveEnvironment, savePolicy } from './environment-samples.ts';
import { shas } from './events.ts';
import { type ArtifactEntry, builtArtifact } from './fake-actions.ts';
import type { TestService } from './service.ts';
import { call } from './service-call.ts';
import { report, saveCustomType, saveFlow } from './service-samples.ts';
import * as started from './workflow-events.ts';
import type { TriggeringEvent } from './workflow-trigger.ts';

/** What a case can use before the workflow runs. */
export interface CaseContext {
  readonly service: TestService;
  /** The status of the quality gate in the case. */
  readonly gate: 'OK' | 'ERROR';
  /** Runs another documented workflow, with the gate of the case. */
  readonly runFirst: (name: string, run: TriggeringEvent) => Promise<void>;
  /** The artifacts of an earlier run. */
  readonly earlier: Map<string, readonly ArtifactEntry[]>;
}

/** The fingerprint of the file that `make web.tar.gz` builds. */
export const fingerprint = createHash('sha256').update(builtArtifact).digest('hex');

/** Creates the flow `web`. */
export async function flow({ service }: CaseContext): Promise<void> {
  await saveFlow(service, { name: 'web' });
}

/** Creates the flow `web` and the custom type `coverage`. */
export async function coverageType(context: CaseContext): Promise<void> {
  await flow(context);
  await saveCustomType(context.service, { name: 'coverage', rules: ['.lines >= 80'] });
}

/** Creates the flow `web` as the quick start does: every change needs a Sonar analysis. */
export async function changesFlow({ service }: CaseContext): Promise<void> {
  await saveFlow(service, { name: 'web', template: ['sonar'] });
}

/** Creates the flow `web` with the artifact, and the analysis of its commit in the same trail. */
export async function attested(context: CaseContext): Promise<void> {
  await analysed(context);
  await report(context.service, { fingerprint, trail_name: shas.head, git_commit: shas.head });
}

/** Creates the flow `web` with the analysis of the newest commit of `main`, attested when it was pushed. */
export async function analysed(context: CaseContext): Promise<void> {
  await flow(context);
  await context.runFirst('Scan and attest', started.pushToMain('src/a.js'));
}

/** The artifact with its evidence, and the checkpoint of the log as an artifact of an earlier run. */
export async function keptCheckpoint(context: CaseContext): Promise<void> {
  await attested(context);
  const { service, earlier } = context;
  const { text } = await call(service, { at: service.url, path: '/log/acme/checkpoint' });
  earlier.set('compliance-checkpoint', [{ path: 'checkpoint', content: text }]);
}

/** The artifact with its evidence, and the checkpoint of the log as an attestation. */
export async function attestedCheckpoint(context: CaseContext): Promise<void> {
  await attested(context);
  await context.runFirst('Deploy with a kept checkpoint', started.startedByHand({ fingerprint, first: true }));
}

/** Creates the environment `production`, which runs the artifact, with a policy that requires provenance. */
export async function production({ service }: CaseContext): Promise<void> {
  await savePolicy(service, 'production-rules');
  await saveEnvironment(service, 'production', { policies: ['production-rules'] });
  await reportPods(service, 'production', pod('web-1', {}, { digests: { web: fingerprint } }));
}

/** Creates the flow `web` and the environment `production`. */
export async function governed(context: CaseContext): Promise<void> {
  await flow(context);
  await production(context);
}

/** Attests the artifact, and reports that it runs in `production`. */
export async function running(context: CaseContext): Promise<void> {
  await attested(context);
  await production(context);
}

/** As `running`, with a policy that requires a compliant trail. */
export async function runningWithCompliantTrail(context: CaseContext): Promise<void> {
  await running(context);
  const rules = provenancePolicy.replace('  provenance:', '  trail-compliance:');
  await savePolicy(context.service, 'production-rules', rules);
}
