import { createNotification, createServiceAccount } from './administration.ts';
import { checkpointCases } from './checkpoint-cases.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from './environment-samples.ts';
import { matrixCases } from './matrix-cases.ts';
import { aPod, digestOf, podList } from './pods.ts';
import { report, saveFlow } from './service-samples.ts';
import { done, notRun, oneGate, openAndClosed, type WorkflowCase } from './workflow-case.ts';
import * as started from './workflow-events.ts';
import {
  analysed,
  attested,
  type CaseContext,
  changesFlow,
  coverageType,
  fingerprint,
  flow,
  governed,
  production,
  runningWithCompliantTrail,
} from './workflow-preparations.ts';

/**
 * The workflows that the login rules of docs/how-to/connect.md do not admit, because they deploy, concern environments
 * or policies, or run on other events. They need the rule of docs/login.md as well.
 */
export const protectedWorkflows: ReadonlySet<string> = new Set([
  'Audit the branch',
  'Build and deploy',
  'Check the notification',
  'Compare staging and production',
  'Deploy',
  'Deploy a release',
  'Detach a policy',
  'Release',
  'Report production',
  'Report the Docker host',
  'Upload the policy',
]);

/** The cases of every workflow in docs/ and examples/, by its name; of a part, by its heading. */
export const workflowCases: Readonly<Record<string, readonly WorkflowCase[]>> = {
  'Compliance quick start': [
    { title: 'passes on a push', run: started.pushToMain('a'), ...done('flow') },
    { title: 'passes by hand', run: started.startedByHand(), ...done('flow') },
  ],

  'Five lines of YAML': [
    {
      title: 'pass if all that the flow requires is recorded',
      run: started.pushToMain('a'),
      prepare: ({ service }) => saveFlow(service, { name: 'web', template: ['tests'] }),
      before: 'make test',
      jobs: { piece: 'success' },
      outcomes: ['compliant', 'compliant'],
    },
  ],

  'Trying the connection': [
    {
      title: 'passes',
      run: started.pushToMain('a'),
      prepare: attested,
      jobs: { piece: 'success' },
      outcomes: ['compliant'],
    },
    {
      title: 'passes whatever the attestations say',
      run: started.pushToMain('a'),
      gate: 'ERROR',
      prepare: attested,
      jobs: { piece: 'success' },
      outcomes: ['non-compliant'],
    },
  ],

  'Declare the flow': [
    {
      title: 'passes when the template changes',
      run: started.pushToMain('compliance/template.yml'),
      ...done('flow'),
    },
    { title: 'passes when the flow is there', run: started.startedByHand(), prepare: flow, ...done('flow') },
  ],

  'Begin the trail': [
    { title: 'begins it on a push', run: started.pushToMain('src/a.js'), prepare: flow, ...done('trail') },
    { title: 'begins it for a pull request', run: started.pullRequest('src/a.js'), prepare: flow, ...done('trail') },
    { title: 'leaves forks out', run: started.forkPullRequest, secrets: 'none', ...notRun('trail') },
    { title: 'leaves Dependabot out', run: started.dependabotPullRequest, secrets: 'none', ...notRun('trail') },
  ],

  'Attest and keep': [
    {
      title: 'attests if the service answers',
      run: started.pushToMain('src/a.js'),
      prepare: flow,
      skipped: ['Upload the kept evidence'],
      jobs: { sonar: 'success' },
      outcomes: ['compliant'],
    },
  ],

  'Deliver kept evidence': [started.scheduled('17 * * * *'), started.startedByHand()].map((run) => ({
    title: `is done on ${run.eventName} if nothing was kept`,
    run,
    rule: { event: 'schedule' },
    ...done('replay'),
  })),

  'Scan and attest': [
    ...openAndClosed(started.pushToMain('src/a.js'), { prepare: flow, ...oneGate('sonar') }),
    ...openAndClosed(started.pullRequest('src/a.js'), { prepare: flow, ...oneGate('sonar') }),
    { title: 'leaves forks out', run: started.forkPullRequest, secrets: 'none', ...notRun('sonar') },
    { title: 'leaves Dependabot out', run: started.dependabotPullRequest, secrets: 'none', ...notRun('sonar') },
  ],

  'License scan': openAndClosed(started.pushToMain('src/a.js'), { prepare: flow, ...oneGate('scan') }),
  Coverage: [
    { title: 'passes', run: started.pushToMain('src/a.js'), prepare: coverageType, ...oneGate('coverage').open },
  ],
  'Unit tests': [started.pushToMain('a'), started.pullRequest('a')].map((run) => ({
    title: `passes on ${run.eventName}`,
    run,
    prepare: flow,
    ...oneGate('test').open,
  })),

  Scan: [
    {
      title: 'records the findings although the scanner fails',
      run: started.pushToMain('a'),
      prepare: flow,
      ...oneGate('scan').open,
    },
  ],
  'Trusted scan': [{ title: 'passes', run: started.pushToMain('a'), prepare: flow, ...oneGate('scan').open }],
  'Bill of materials': [{ title: 'passes', run: started.pushToMain('a'), prepare: flow, ...oneGate('sbom').open }],
  Issues: [
    { title: 'fails without an issue', run: started.pullRequest('a'), prepare: flow, ...oneGate('issues').closed },
  ],

  Reviews: [
    { title: 'passes with an approval', run: started.pushToMain('a'), prepare: flow, ...oneGate('reviews').open },
  ],

  'Deploy a release': openAndClosed(started.release, {
    prepare: attested,
    open: { jobs: { deploy: 'success' }, outcomes: ['compliant'], skipped: ['Say why not'] },
    closed: { jobs: { deploy: 'failure' }, outcomes: ['non-compliant'], skipped: ['Deploy'] },
  }),

  ...checkpointCases,
  ...matrixCases,

  'Report production': [
    {
      title: 'passes for pods with provenance',
      run: started.scheduled('*/15 * * * *'),
      async prepare(context: CaseContext): Promise<void> {
        await flow(context);
        await report(context.service, { fingerprint: digestOf('a') });
        await savePolicy(context.service, 'production-rules');
      },
      pods: podList(aPod('web-1')),
      jobs: { report: 'success' },
      outcomes: ['done', 'done', 'done', 'compliant'],
    },
    {
      title: 'fails for pods without provenance',
      run: started.startedByHand(),
      prepare: ({ service }) => savePolicy(service, 'production-rules'),
      pods: podList(aPod('web-1')),
      jobs: { report: 'failure' },
      outcomes: ['done', 'done', 'done', 'non-compliant'],
    },
  ],

  'Report the Docker host': [
    {
      title: 'reports the containers',
      run: started.scheduled('*/15 * * * *'),
      jobs: { report: 'success' },
      outcomes: ['done', 'done'],
    },
  ],

  'Upload the policy': [
    { title: 'uploads on a push', run: started.pushToMain('policies/production-rules.yml'), ...done('policy') },
    {
      title: 'shows what it would change on a pull request',
      run: started.pullRequest('policies/production-rules.yml'),
      prepare: governed,
      ...done('policy'),
    },
    {
      title: 'leaves forks out',
      run: { ...started.forkPullRequest, changedFiles: ['policies/production-rules.yml'] },
      secrets: 'none',
      ...notRun('policy'),
    },
  ],

  'Compare staging and production': [
    {
      title: 'passes',
      run: started.startedByHand({ since: '2026-01-01' }),
      async prepare(context: CaseContext): Promise<void> {
        await attested(context);
        for (const name of ['staging', 'production']) {
          await saveEnvironment(context.service, name);
          await reportPods(context.service, name, pod(`${name}-1`, { web: name === 'staging' ? 'a' : 'b' }));
        }
      },
      jobs: { compare: 'success' },
      outcomes: ['done', 'compliant'],
    },
  ],

  'Detach a policy': [
    {
      title: 'passes',
      run: started.startedByHand({ environment: 'production', policy: 'production-rules' }),
      prepare: production,
      ...done('detach'),
    },
    {
      title: 'fails for a policy that is not there',
      run: started.startedByHand({ environment: 'production', policy: 'other' }),
      prepare: production,
      jobs: { detach: 'failure' },
      outcomes: ['error'],
    },
  ],

  'Check the notification': [
    {
      title: 'passes while the notification works',
      run: started.scheduled('0 6 * * *'),
      prepare: ({ service }) => createNotification(service),
      ...done('notification'),
      skipped: ['Fail when it is failing'],
    },
  ],

  'Audit the branch': openAndClosed(started.scheduled('0 4 * * 1'), {
    prepare: async (context) => {
      await changesFlow(context);
      await context.runFirst('Scan and attest', started.pushToMain('src/a.js'));
    },
    ...oneGate('audit'),
  }),

  'Delete a service account': [
    {
      title: 'passes',
      run: started.startedByHand({ 'service-account': 'ci' }),
      prepare: ({ service }) => createServiceAccount(service),
      jobs: { delete: 'success' },
      outcomes: ['done', 'done', 'done'],
    },
    {
      title: 'fails if the account does not exist',
      run: started.startedByHand({ 'service-account': 'ci' }),
      jobs: { delete: 'failure' },
      outcomes: ['done', 'error'],
      skipped: ['OWNER/compliance-action@v1'],
    },
  ],

  'Set the default organization': [{ title: 'passes', run: started.startedByHand(), ...done('default') }],

  Compliance: [
    ...openAndClosed(started.pullRequest('src/a.js'), {
      prepare: flow,
      open: {
        jobs: { build: 'success', gate: 'success' },
        outcomes: ['done', 'compliant', 'compliant'],
        statuses: { 'compliance/web': 'success' },
      },
      closed: {
        jobs: { build: 'success', gate: 'failure' },
        outcomes: ['done', 'non-compliant', 'non-compliant'],
        statuses: { 'compliance/web': 'failure' },
      },
    }),
    {
      title: 'fails if the build failed, although a skipped job would count as passed',
      // Without its flow, the artifact cannot be reported.
      run: started.pullRequest('src/a.js'),
      jobs: { build: 'failure', gate: 'failure' },
      outcomes: ['error', 'error'],
      skipped: [
        'SonarSource/sonarqube-scan-action@fd88b7d7ccbaefd23d8f36f73b59db7a3d246602',
        'OWNER/compliance-action/actions/attest-sonar@v1',
      ],
      statuses: { 'compliance/web': 'error' },
    },
  ],

  'Merge gate': [
    ...[started.pullRequest('src/a.js'), started.mergeGroup].flatMap((run) =>
      openAndClosed(run, {
        prepare: changesFlow,
        open: { jobs: { gate: 'success' }, outcomes: ['compliant', 'compliant'] },
        closed: { jobs: { gate: 'failure' }, outcomes: ['non-compliant', 'non-compliant'] },
      }),
    ),
    {
      title: 'fails if the flow requires more than was recorded',
      run: started.pullRequest('src/a.js'),
      prepare: flow,
      jobs: { gate: 'failure' },
      outcomes: ['compliant', 'incomplete'],
    },
  ],

  'Build and deploy': [
    {
      title: 'passes if the policies of the environment accept the artifact',
      run: started.pushToMain('src/a.js'),
      prepare: governed,
      jobs: { build: 'success', deploy: 'success' },
      outcomes: ['done', 'compliant'],
    },
  ],

  Deploy: openAndClosed(started.startedByHand({ fingerprint, environment: 'production' }), {
    prepare: runningWithCompliantTrail,
    open: { jobs: { deploy: 'success' }, outcomes: ['compliant'] },
    closed: { jobs: { deploy: 'failure' }, outcomes: ['non-compliant'], skipped: ['Deploy'] },
  }),

  Tests: [
    {
      title: 'passes without secrets',
      run: started.forkPullRequest,
      secrets: 'none',
      jobs: { test: 'success' },
      outcomes: [],
    },
  ],

  'Compliance of pull requests': [
    ...openAndClosed(started.testsOfForkEnded(), {
      rule: { event: 'workflow_run' },
      prepare: flow,
      open: { ...oneGate('sonar').open, statuses: { 'compliance/sonar': 'success' } },
      closed: { ...oneGate('sonar').closed, statuses: { 'compliance/sonar': 'failure' } },
    }),
    {
      title: 'sets no status if the tests failed',
      run: started.testsOfForkEnded({ conclusion: 'failure' }),
      ...notRun('sonar'),
    },
    { title: 'leaves pushes alone', run: started.testsOfForkEnded({ event: 'push' }), ...notRun('sonar') },
  ],

  Release: openAndClosed(started.tagPush, {
    prepare: analysed,
    open: { jobs: { build: 'success', gate: 'success', release: 'success' }, outcomes: ['done', 'compliant'] },
    closed: { jobs: { build: 'success', gate: 'failure', release: 'skipped' }, outcomes: ['done', 'non-compliant'] },
  }),

  '`continue-on-error` and outputs': openAndClosed(started.pushToMain('a'), {
    prepare: attested,
    before: 'make web.tar.gz',
    ...oneGate('piece'),
  }),
};
