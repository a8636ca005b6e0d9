import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { actionFolder, type ActionRun, runAction, type StepSettings } from '../../tools/run-action.ts';
import { pushEvent, shas } from './events.ts';
import { jobEnvironment } from './job.ts';
import { startTestService, type TestService, type TestServiceSettings } from './service.ts';
import { accepted, call } from './service-call.ts';
import { attestationForm, sampleArtifact, saveFlow } from './service-samples.ts';
import { webhookPayloadWith } from './sonar-analysis.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from './temporary-workspace.ts';

/** The settings of a step that differ from those of its job. */
export interface StepOptions {
  /** Variables in addition to the job's. Undefined removes a variable. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Without it there is no event file. */
  readonly event?: unknown;
  /** Another program than the root action. */
  readonly program?: StepSettings['program'];
  readonly kill?: StepSettings['kill'];
  readonly meanwhile?: StepSettings['meanwhile'];
}

/** A job of acme/widgets, started by a push, whose steps run the built action against a real service. */
export interface ActionJob {
  readonly service: TestService;
  readonly workspace: TemporaryWorkspace;
  /** Runs the built action as one step. The job's variables have the connection; inputs override it. */
  step(inputs: Readonly<Record<string, string>>, options?: StepOptions): Promise<ActionRun>;
  /** Creates a flow with a new name and this template. Returns the name. */
  flow(...template: readonly string[]): Promise<string>;
  /** Reports an artifact, as its build would, to the trail of the job's commit. Returns the status. */
  report(
    flow: string,
    artifact: { readonly fingerprint: string; readonly trail?: string; readonly commit?: string },
  ): Promise<number>;
  /** Attests a Sonar analysis with this status of the quality gate. */
  attest(flow: string, trail: string, gate: string): Promise<void>;
  /** Sends a request to the service, with the key of the job. */
  ask(path: string, request?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export const jobCommit: string = shas.head;

/**
 * Opens a job. The caller must close it.
 *
 * @param settings of the service
 */
export async function openActionJob(settings: TestServiceSettings = {}): Promise<ActionJob> {
  requireBuild();
  const service = await startTestService(settings);
  const workspace = await temporaryWorkspace();
  const variables = {
    ...jobEnvironment,
    COMPLIANCE_BASE_URL: service.baseUrl,
    COMPLIANCE_API_TOKEN: service.apiKey,
    COMPLIANCE_ORG: service.org,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_SHA: jobCommit,
    GITHUB_WORKSPACE: workspace.path,
  };
  const ask: ActionJob['ask'] = (path, request) =>
    fetch(service.baseUrl + path, {
      ...request,
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    });
  let steps = 0;
  return {
    service,
    workspace,
    step: (inputs, options = {}) =>
      runAction({
        inputs,
        environment: present({ ...variables, GITHUB_ACTION: `__step_${(steps += 1)}`, ...options.variables }),
        event: 'event' in options ? options.event : pushEvent(),
        ...(options.program === undefined ? {} : { program: options.program }),
        ...(options.kill === undefined ? {} : { kill: options.kill }),
        ...(options.meanwhile === undefined ? {} : { meanwhile: options.meanwhile }),
      }),
    async flow(...template) {
      const name = `flow-${randomUUID()}`;
      await accepted(saveFlow(service, { name, template: [...template] }));
      return name;
    },
    async report(flow, { fingerprint, trail = jobCommit, commit = jobCommit }) {
      const commit_url = `https://github.com/acme/widgets/commit/${commit}`;
      const json = sampleArtifact({
        fingerprint,
        filename: 'web.tgz',
        git_commit: commit,
        trail_name: trail,
        commit_url,
      });
      const { status } = await call(service, { method: 'POST', path: `/artifacts/${service.org}/${flow}`, json });
      return status;
    },
    async attest(flow, trail, gate) {
      const form = attestationForm({ attestation_name: 'sonar', sonar_results: webhookPayloadWith(gate, jobCommit) });
      const path = `/attestations/${service.org}/${flow}/trail/${trail}/sonar`;
      await accepted(call(service, { method: 'POST', path, form }));
    },
    ask,
    async close() {
      await service.stop();
      await workspace.remove();
    },
  };
}

/** Opens a job for all tests of a file or a block, and closes it after them. */
export function jobForAllTests(settings?: TestServiceSettings): Omit<ActionJob, 'close'> {
  // Filled before the first test.
  const job = {} as ActionJob;
  beforeAll(async () => {
    Object.assign(job, await openActionJob(settings));
  });
  afterAll(() => job.close());
  return job;
}

function present(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** @throws Error if the action is not built */
function requireBuild(): void {
  const built = join(actionFolder, 'index.js');
  if (!existsSync(built)) throw new Error(`${built} is missing: run \`npm run build\``);
}
