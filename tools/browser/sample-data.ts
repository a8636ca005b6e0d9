import { createSend, type SampleTarget, type Send, toForm } from './sample-client.ts';
import {
  type SampleCommit,
  sampleFingerprint,
  sampleSha,
  toPullRequest,
  toSonarResults,
  toTestResults,
} from './sample-evidence.ts';

/** The options of `recordSamples`. */
export interface SampleOptions extends SampleTarget {
  /** Sets the clock of the service, in Unix seconds. */
  readonly setTime: (seconds: number) => void;
  /** The time of the last record, in Unix seconds. */
  readonly end: number;
  /** Whether to record texts that would be markup if they were not escaped, long names, and names in many scripts. */
  readonly isHostile: boolean;
}

/** A text that would be markup if it was not escaped. */
export const hostileText = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

const hour = 3600;

/** How the jobs of a commit ended. */
interface SampleRun {
  readonly trail: string;
  readonly sonar?: 'OK' | 'ERROR' | 'NONE';
  readonly failures?: number;
  readonly reviewed?: boolean;
  readonly scanned?: boolean;
}

const runs: readonly SampleRun[] = [
  { trail: 'build-118', sonar: 'OK', failures: 0, reviewed: true },
  { trail: 'build-119', sonar: 'OK', failures: 0, reviewed: true, scanned: true },
  { trail: 'build-120', sonar: 'ERROR', failures: 0, reviewed: true },
  { trail: 'build-121', sonar: 'OK', failures: 3, reviewed: true },
  { trail: 'build-122', sonar: 'NONE', failures: 0, reviewed: true },
  { trail: 'build-123', sonar: 'OK', failures: 0, reviewed: false },
  { trail: 'build-124', failures: 0 },
  { trail: 'build-125', sonar: 'OK', failures: 0, reviewed: true, scanned: true },
  { trail: 'build-126', sonar: 'ERROR', failures: 2, reviewed: true },
];

/**
 * Records what a small organization has after a few days: flows, trails with evidence of all kinds, environments with
 * policies, and keys. Everything is sent to the API, as real jobs do.
 */
export async function recordSamples(options: SampleOptions): Promise<void> {
  const send = createSend(options);
  const start = options.end - runs.length * 9 * hour;
  options.setTime(start - 24 * hour);
  await createFlows(send, options.org);
  await createEnvironments(send, options.org);
  for (const [index, run] of runs.entries()) {
    options.setTime(start + index * 9 * hour);
    await recordRun(send, options, run, start + index * 9 * hour);
  }
  if (options.isHostile) await recordHostile(send, options);
  await createAccounts(send, options.org);
}

const template = `version: 1
trail:
  attestations:
    - name: pull-request
      type: pull_request
  artifacts:
    - name: web
      attestations:
        - name: unit-tests
          type: junit
        - name: sonar
          type: sonar
`;

async function createFlows(send: Send, org: string): Promise<void> {
  const web = { name: 'web', description: 'The web shop: from commit to production' };
  const file = { template_file: ['template.yaml', template] } as const;
  await send('PUT', `/flows/${org}/template_file`, toForm('data_json', web, file));
  await send('PUT', `/flows/${org}`, {
    name: 'api',
    description: 'The API of the shop',
    template: ['artifact', 'sonar'],
  });
  await send('PUT', `/flows/${org}`, {
    name: 'mobile',
    description: 'The app, not reported yet',
    template: ['artifact'],
  });
}

const policy = (rules: string): string => `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
${rules}`;

const policies = [
  ['first version', policy('  provenance:\n    required: true\n')],
  [
    'tests are required, too',
    policy('  provenance:\n    required: true\n  attestations:\n    - type: junit\n      name: unit-tests\n'),
  ],
  [
    'trails must be compliant, except those of old tools',
    policy(
      `  provenance:\n    required: true\n  trail-compliance:\n    required: true\n    exceptions:\n      - if: \${{ matches(artifact.name, "^legacy") }}\n  attestations:\n    - type: junit\n      name: unit-tests\n`,
    ),
  ],
] as const;

async function createEnvironments(send: Send, org: string): Promise<void> {
  for (const [comment, text] of policies) {
    const payload = {
      name: 'production-rules',
      description: 'What must hold for all that runs in production',
      comment,
      type: 'env',
    };
    await send('PUT', `/policies/${org}`, toForm('payload', payload, { policy_file: ['policy.yaml', text] }));
  }
  const description = 'The cluster that customers use';
  await send('PUT', `/environments/${org}`, { name: 'production', type: 'K8S', description });
  await send('PUT', `/environments/${org}`, {
    name: 'staging',
    type: 'K8S',
    description: 'The cluster for trying things out',
  });
  await send('PUT', `/environments/${org}`, { name: 'preview', type: 'K8S', description: '' });
  const included_environments = ['production', 'staging'];
  await send('PUT', `/environments/${org}`, {
    name: 'shop',
    type: 'logical',
    description: 'Both clusters',
    included_environments,
  });
  await send('POST', `/environments/${org}/production/policies`, { policy_names: ['production-rules'] });
}

async function recordRun(send: Send, { org }: SampleTarget, run: SampleRun, time: number): Promise<void> {
  const { trail } = run;
  const git_commit_info = toCommit(trail, time);
  const begun = { name: trail, description: `Build ${trail.slice(6)} of main`, git_commit_info };
  await send('PUT', `/trails/${org}/web`, toForm('data_json', begun));
  await send('POST', `/artifacts/${org}/web`, {
    fingerprint: sampleFingerprint(trail),
    filename: 'registry.example.com/shop/web',
    template_reference_name: 'web',
    git_commit: git_commit_info.sha1,
    git_commit_info,
    build_url: `https://ci.example.com/builds/${trail.slice(6)}`,
    commit_url: git_commit_info.url,
    trail_name: trail,
  });
  await attestAll(send, org, run, git_commit_info);
  const pods = [pod('web-7d9f', 'registry.example.com/shop/web', trail), pod('legacy-0', 'legacy-mailer', 'legacy')];
  await send('PUT', `/environments/${org}/staging/report/K8S`, { artifacts: pods });
  if (run.sonar !== 'NONE') await send('PUT', `/environments/${org}/production/report/K8S`, { artifacts: [pods[0]] });
}

function toCommit(trail: string, time: number): SampleCommit {
  const sha1 = sampleSha(trail);
  const message = `shop: change number ${trail.slice(6)}\n\nWith a longer explanation.`;
  const url = `https://git.example.com/acme/web/commit/${sha1}`;
  return {
    sha1,
    author: 'Ada Example <ada@example.com>',
    branch: 'main',
    message,
    timestamp: Math.floor(time - 600),
    url,
  };
}

function pod(podName: string, image: string, artifact: string): object {
  const digests = { [image]: sampleFingerprint(artifact) };
  return { podName, namespace: 'shop', creationTimestamp: 1_760_000_000, digests };
}

async function attestAll(
  send: Send,
  org: string,
  { trail, sonar, failures = 0, reviewed, scanned }: SampleRun,
  git_commit_info: SampleCommit,
): Promise<void> {
  const number = trail.slice(6);
  const about = { git_commit_info, user_data: { github: { run_id: number, workflow: 'build' } } };
  const attest = (kind: string, attestation_name: string, document: object, files = {}): Promise<unknown> =>
    send(
      'POST',
      `/attestations/${org}/web/trail/${trail}/${kind}`,
      toForm('data_json', { attestation_name, ...document, ...about }, files),
    );
  if (reviewed !== undefined) {
    const pull_requests = reviewed ? [toPullRequest(git_commit_info, number, `Change number ${number}`)] : [];
    await attest('pull_request', 'pull-request', { git_provider: 'github', pull_requests });
  }
  const file = { 'attachment_file.0': ['junit.xml', '<testsuites/>'] };
  await attest('junit', 'web.unit-tests', { junit_results: toTestResults(failures) }, file);
  if (sonar !== undefined)
    await attest('sonar', 'web.sonar', { sonar_results: toSonarResults(sonar, git_commit_info.sha1) });
  if (scanned === true)
    await attest('generic', 'web.licence-scan', { is_compliant: true, description: 'All licences are allowed' });
}

/** Reports texts that would be markup if they were not escaped. */
async function recordHostile(send: Send, { org }: SampleTarget): Promise<void> {
  const git_commit = sampleSha('hostile');
  await send('POST', `/artifacts/${org}/api`, {
    ...{ fingerprint: sampleFingerprint('hostile'), filename: hostileText, git_commit, trail_name: 'hostile' },
    ...{ build_url: 'javascript:alert(3)', commit_url: hostileText },
    git_commit_info: { sha1: git_commit, author: hostileText, message: hostileText, branch: hostileText },
  });
  const conditions = [
    { metric: hostileText, status: hostileText, operator: '<', errorThreshold: hostileText, value: hostileText },
  ];
  const sonar_results = {
    project: { key: hostileText, url: 'javascript:alert(4)' },
    qualityGate: { status: 'ERROR', conditions },
  };
  const path = `/attestations/${org}/api/trail/hostile`;
  const user_data = { [hostileText]: hostileText };
  const sonar = { attestation_name: 'sonar', sonar_results, user_data };
  await send('POST', `${path}/sonar`, toForm('data_json', sonar, { 'attachment_file.0': ['"><script>x', 'content'] }));
  const suite = { name: hostileText, total: 1, failures: 1, errors: 0, skipped: 0, duration: 1 };
  await send('POST', `${path}/junit`, toForm('data_json', { attestation_name: 'tests', junit_results: [suite] }));
  const digests = { [hostileText]: sampleFingerprint('hostile') };
  const artifacts = [{ podName: hostileText, namespace: 'shop', creationTimestamp: 1_760_000_000, digests }];
  await send('PUT', `/environments/${org}/preview/report/K8S`, { artifacts });
}

async function createAccounts(send: Send, org: string): Promise<void> {
  for (const [user, role] of [
    ['ada', 'member'],
    ['grace', 'admin'],
    ['alan', 'reader'],
  ] as const) {
    await send('PUT', `/organizations/${org}/members/${user}`, { role });
  }
  await send('POST', `/organizations/${org}/members/ada/api-keys`, { description: 'Laptop' });
  await send('POST', `/service-accounts/${org}`, {
    name: 'ci',
    privilege: 'member',
    description: 'The jobs of all repositories',
  });
  await send('POST', `/service-accounts/${org}/ci/api-keys`, { description: 'Jobs of acme/web' });
  await send('POST', `/organizations/${org}/environments_notifications`, {
    name: 'To the team',
    environments: ['production'],
    triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
    targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.invalid/services/secret', payload_version: '1.0' }],
  });
}
