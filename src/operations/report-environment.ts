import type { ComplianceClient } from '../client/client.ts';
import { getEnvironment } from '../contract/environment-list.ts';
import { type EnvironmentReport, type ReportKind, reportKinds } from '../contract/environment-report.ts';
import { gatherRunning, type RunningSource } from '../evidence/running/gather-running.ts';
import { unixSeconds } from '../runtime/clock.ts';
import { UserError } from '../runtime/failure.ts';
import { artifacts } from './inputs/artifact-inputs.ts';
import { environment } from './inputs/environment-inputs.ts';
import { artifactFiles } from './inputs/evidence-inputs.ts';
import { optional, required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { createRunningResult, logLeftOut, type Running } from './running-result.ts';
import { pluralize } from './sentences.ts';

/** The words for an instance, and for its part that may lack a digest. */
const nouns: Readonly<Record<ReportKind['kind'], { readonly instance: string; readonly part: string }>> = {
  server: { instance: 'path', part: 'path' },
  docker: { instance: 'container', part: 'container' },
  ECS: { instance: 'task', part: 'container' },
  lambda: { instance: 'function', part: 'function' },
  S3: { instance: 'bucket', part: 'bucket' },
  'azure-apps': { instance: 'app', part: 'app' },
  'cloud-run': { instance: 'revision', part: 'container' },
};

/** Reports what runs in an environment of any kind but Kubernetes. The service knows the kind. */
export const reportEnvironment = defineOperation({
  name: 'report-environment',
  gate: 'ignore',
  inputs: {
    environment: required(environment),
    artifacts: optional(artifacts),
    files: optional(artifactFiles),
  },
  check({ artifacts: named, files }) {
    if ((named === undefined) !== (files === undefined)) return [];
    return [
      {
        input: 'artifacts',
        what: `Exactly one of \`artifacts\` and \`files\` must be given, but ${files === undefined ? 'neither is' : 'both are'}`,
        remedy: 'Set `artifacts` to what runs, or `files` to where it is, or to what a command printed about it.',
      },
    ];
  },
  async run({ environment: name, artifacts: named, files }, { client, org, workspace, call }) {
    const { log, clock, signal } = call;
    const kind = await findKind(name, org, client);
    const source: RunningSource = named === undefined ? { files: files ?? [] } : { artifacts: named };
    const running = await log.group('Collect what runs', async (): Promise<Running<EnvironmentReport>> => {
      const now = Math.floor(unixSeconds(clock.now()));
      const evidence = await gatherRunning(kind, source, { workspace, now, signal });
      const found = { org, environment: name, evidence, artifact: 'artifact', ...nouns[kind.kind] };
      const count = evidence.report.artifacts.length;
      log.info(`${pluralize(count, found.instance)} to report`);
      logLeftOut(found, log, {
        reason: 'Left out because no digest is known:',
        advice: 'Deploy images by their digest, or list what runs in `artifacts`.',
      });
      if (count === 0) log.warning('The report is empty: nothing runs that has a known digest.');
      return found;
    });
    const answer = await client.call(kind.endpoint, {
      parameters: { org, env_name: name },
      document: running.evidence.report,
    });
    return createRunningResult(running, answer);
  },
});

/** @throws UserError if environments of this kind are not reported by this operation */
async function findKind(environmentName: string, org: string, client: ComplianceClient): Promise<ReportKind> {
  const { body } = await client.call(getEnvironment, { parameters: { org, env_name: environmentName } });
  const found = reportKinds.find(({ kind }) => kind === body.type);
  if (found !== undefined) return found;
  const remedies: Readonly<Record<string, string>> = {
    K8S: 'Report it with `report-k8s`.',
    logical: 'Report the environments that it includes.',
  };
  throw new UserError({
    input: 'environment',
    what: `environment ${environmentName} is of the type ${body.type}, which \`report-environment\` does not report`,
    remedy: remedies[body.type] ?? 'Use a later version of this action.',
  });
}
