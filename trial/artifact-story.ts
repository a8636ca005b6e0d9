import type { EvidenceFiles } from './evidence-files.ts';
import { done, failed, passed, type RunStep } from './trial-job.ts';

/** The steps from the flow to the gate on an artifact. Returns what was not as expected. */
export async function artifactStory(step: RunStep, files: EvidenceFiles): Promise<readonly string[]> {
  const flow = 'web';
  const description = 'The web front end';
  const createFlow = { operation: 'create-flow', flow, description, 'template-file': files.template };
  const sonar = { operation: 'attest-sonar', flow, 'attestation-name': 'web.sonar', files: files.coverage };
  // The trial has no Sonar server that could confirm its reports.
  const written = { ...sonar, 'unverified-revision': 'warn' };
  const gate = { operation: 'assert-artifact', flow, files: files.artifact };
  return [
    ...(await step('Create the flow, with a template file', createFlow, done({ state: 'created' }))),
    ...(await step('Create it again: it is updated', createFlow, done({ state: 'updated' }))),
    ...(await step('Begin the trail of the commit', { operation: 'begin-trail', flow }, done({ state: 'begun' }))),
    ...(await step(
      'Report the artifact that the job built',
      { operation: 'attest-artifact', flow, files: files.artifact, 'artifact-name': 'web' },
      done(),
    )),
    ...(await step(
      'Gate on the artifact: it names the evidence that is missing',
      gate,
      failed('incomplete', ['unit', 'sonar', 'pull-request']),
    )),
    ...(await step(
      'Attest the results of the unit tests',
      { operation: 'attest-junit', flow, 'attestation-name': 'web.unit', 'junit-path': files.junit },
      passed(),
    )),
    ...(await step(
      'Attest Sonar results that no Sonar server confirms: refused, and nothing is recorded',
      { ...sonar, 'sonar-report-path': files.passing },
      { exitCode: 1, outputs: { outcome: 'error', compliant: '' } },
    )),
    ...(await step(
      'Attest them as not verified, because the job wrote them itself: the quality gate passed',
      { ...written, 'sonar-report-path': files.passing },
      passed({ state: 'OK' }),
    )),
    ...(await step(
      'Attest the pull request of the commit, which needs one approval',
      { operation: 'attest-pull-request', flow, 'minimum-approvals': '1', 'github-token': 'a-token-of-the-trial' },
      passed(),
    )),
    ...(await step('Gate on the artifact again: it passes', gate, passed({ state: 'COMPLIANT' }))),
    ...(await step(
      'Attest Sonar results whose quality gate failed: recorded, and the step fails',
      { ...written, 'sonar-report-path': files.failing },
      failed('non-compliant'),
    )),
    ...(await step('Gate on the artifact: it fails now', gate, failed('non-compliant', ['sonar']))),
    ...(await step(
      'The same with on-non-compliant: warn: the step passes, and its outputs still say non-compliant',
      { ...gate, 'on-non-compliant': 'warn' },
      { ...failed('non-compliant'), exitCode: 0 },
    )),
  ];
}
