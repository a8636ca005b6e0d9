import { type K8sReport, reportK8s as endpoint } from '../contract/environment.ts';
import { resolveOnlyFile } from '../evidence/files/resolve-files.ts';
import { gatherPods } from '../evidence/running/gather-pods.ts';
import { environment } from './inputs/environment-inputs.ts';
import { files } from './inputs/evidence-inputs.ts';
import { required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { createRunningResult, logLeftOut, type Running } from './running-result.ts';
import { pluralize } from './sentences.ts';

/** Operation 3: reports what runs in a Kubernetes cluster. */
export const reportK8s = defineOperation({
  name: 'report-k8s',
  endpoint,
  gate: 'ignore',
  inputs: { environment: required(environment), files: required(files) },
  async run(inputs, { client, org, workspace, call: { log } }) {
    const running = await log.group('Read the pods', async (): Promise<Running<K8sReport>> => {
      const file = await resolveOnlyFile(inputs.files, workspace, 'the pods');
      const evidence = await gatherPods(file);
      const nouns = { instance: 'pod', artifact: 'image', part: 'container' };
      const found = { org, environment: inputs.environment, evidence, ...nouns };
      const count = evidence.report.artifacts.length;
      log.info(`${file.name}: ${pluralize(count, 'pod')} to report`);
      logLeftOut(found, log, {
        reason: 'Left out because their images have no digest yet:',
        advice: 'Report again once they run.',
      });
      if (count === 0) log.warning(`The report is empty: ${file.name} has no running pod with the digest of an image.`);
      return found;
    });
    const answer = await client.call(endpoint, {
      parameters: { org, env_name: inputs.environment },
      document: running.evidence.report,
    });
    return createRunningResult(running, answer);
  },
});
