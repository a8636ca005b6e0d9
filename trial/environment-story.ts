import type { EvidenceFiles } from './evidence-files.ts';
import { done, failed, type RunStep } from './trial-job.ts';

/**
 * The steps about the environment that runs the artifact, whose Sonar evidence failed. Returns what was not as expected.
 */
export async function environmentStory(step: RunStep, files: EvidenceFiles): Promise<readonly string[]> {
  const environment = 'production';
  const policy = 'tested';
  const report = { operation: 'report-k8s', environment, files: files.pods };
  const list = { operation: 'list-snapshots', environment };
  return [
    ...(await step(
      'Create an environment',
      { operation: 'create-environment', environment, 'environment-type': 'K8S' },
      done(),
    )),
    ...(await step('Report the pods that run the artifact', report, done({ state: 'changed' }))),
    ...(await step('List the snapshots: nothing is required of the environment yet, so there is no verdict', list, {
      ...failed('incomplete'),
      exitCode: 0,
    })),
    ...(await step(
      'Create a policy: artifacts must be known, with passing unit tests and Sonar results',
      { operation: 'create-policy', policy, files: files.policy },
      done(),
    )),
    ...(await step(
      'Attach the policy to the environment: it is judged at once',
      { operation: 'attach-policy', environment, policy },
      done({ state: 'attached' }),
    )),
    ...(await step(
      'Report again, with an image that no build reported',
      { ...report, files: files.laterPods },
      done({ state: 'changed' }),
    )),
    ...(await step(
      'Gate on the environment, with on-non-compliant: fail: its latest snapshot fails the step',
      { ...list, 'on-non-compliant': 'fail' },
      failed('non-compliant'),
    )),
    ...(await step(
      'Gate on the artifact before a deployment to the environment: it names the rule that failed',
      { operation: 'assert-artifact', environment, files: files.artifact },
      failed('non-compliant', [`policy ${policy}`]),
    )),
  ];
}
