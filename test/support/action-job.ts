import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { actionFolder, runAction, type ActionRun, type StepSettings } from '../../tools/run-action.ts';
import { pushEvent, shas } from './events.ts';
import { jobEnvironment } from './job.ts';
import { startTestService, type TestService, type TestServiceSettings } from './service.ts';
import { call } from './service-call.ts';
import { attestationForm } from './service-samples.ts';
import { webhookPayloadWith } from './sonar-analysis.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from './temporary-workspace.ts';

/** What a step is started with, where it differs from its job. */
export interface StepOptions {
  /** Variables beside the job's; undefined takes one of those away. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Undefined is a job without an event file. */
  readonly event?: unknown;
  readonly kill?: StepSettings['kill'];
  readonly meanwhile?: StepSettings['meanwhile'];
}

/** A job of acme/widgets, started by a push, whose steps run the built action against a real service. */
export interface ActionJob {
  readonly service: TestService;
  readonly workspace: TemporaryWorkspace;
  /** Runs the built action as one step. The connection is in the job's variables; an input wins over it. */
  step(inputs: Readonly<Record<string, string>>, options?: StepOptions): Promise<ActionRun>;
  /** Creates a flow of a new name in which artifacts need this evidence. */
  flow(...template: readonly string[]): Promise<string>;
  /** Reports an artifact, as its build would, in the trail of the job's commit; gives the status. */
  report(
    flow: string,
    artifact: { readonly fingerprint: string; readonly trail?: string; readonly commit?: string },
  ): Promise<number>;
  /** Puts a Sonar analysis on record in a trail, of a gate that ended so. */
  attest(flow: string, trail: string, gate: string): Promise<void>;
  /** Asks the service itself, with the key of the job. */
  ask(path: string, request?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The commit that the job was started by. */
export const jobCommit: string = shas.head;

/**
 * Opens a job. Close it.
 *
 * @param settings of the service, if the test wants it otherwise
 */
export async function openActionJob(settings: TestServiceSettings = {}): Promise<ActionJob> {
  demandBuilt();
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
  return {
    service,
    workspace,
    step: (inputs, options = {}) =>
      runAction({
        inputs,
        environment: present({ ...variables, ...options.variables }),
        event: 'event' in options ? options.event : pushEvent(),
        ...(options.kill === undefined ? {} : { kill: options.kill }),
        ...(options.meanwhile === undefined ? {} : { meanwhile: options.meanwhile }),
      }),
    async flow(...template) {
      const name = `flow-${randomUUID()}`;
      const body = JSON.stringify({ name, description: 'Of a test', template });
      const answer = await ask(`/flows/${service.org}`, { method: 'PUT', body });
      if (answer.status !== 201) throw new Error(`the flow was not created: ${answer.status} ${await answer.text()}`);
      return name;
    },
    async report(flow, { fingerprint, trail = jobCommit, commit = jobCommit }) {
      const body = JSON.stringify({
        fingerprint,
        filename: 'web.tgz',
        git_commit: commit,
        trail_name: trail,
        build_url: 'https://github.com/acme/widgets/actions/runs/4242',
        commit_url: `https://github.com/acme/widgets/commit/${commit}`,
      });
      const answer = await ask(`/artifacts/${service.org}/${flow}`, { method: 'POST', body });
      await answer.body?.cancel();
      return answer.status;
    },
    async attest(flow, trail, gate) {
      const form = attestationForm({ attestation_name: 'sonar', sonar_results: webhookPayloadWith(gate, jobCommit) });
      const path = `/attestations/${service.org}/${flow}/trail/${trail}/sonar`;
      const { status, text } = await call(service, { method: 'POST', path, form });
      if (status !== 201) throw new Error(`the analysis was not attested: ${status} ${text}`);
    },
    ask,
    async close() {
      await service.stop();
      await workspace.remove();
    },
  };
}

function present(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** @throws where there is nothing to run, with the remedy: every test of a job would fail for that one reason */
function demandBuilt(): void {
  const built = join(actionFolder, 'index.js');
  if (!existsSync(built)) throw new Error(`${built} is missing: run \`npm run build\``);
}
