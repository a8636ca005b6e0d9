import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type LoopbackServer, serve } from '../../tools/loopback-server.ts';
import { type ClientSession, openClientSession, sha256 } from '../support/client-session.ts';
import { describeWithClient, expectRun } from '../support/client-steps.ts';
import { type Difference, findDifferences } from '../support/differences.ts';
import { startedAt, storedContent } from '../support/platform-stand-ins.ts';
import { readText } from '../support/repository.ts';
import { call } from '../support/service-call.ts';
import type { TestStorage } from '../support/test-storage.ts';

/** A difference, and the record that has it. */
interface FoundDifference extends Difference {
  readonly record: string;
}

/** One step of a pipeline, with the public client and with the action. */
interface Step {
  readonly command: string;
  readonly inputs: Readonly<Record<string, string>>;
}

const artifact = 'the artifact\n';
const fingerprint = sha256(artifact);
const onTrail = '--flow web --trail {commit}';

/** Links and remarks, for the public client and for the action. */
const links = `--external-url docs=https://docs.example.com/?a=b --external-fingerprint docs=${fingerprint}`;
const linkInputs = {
  'external-urls': 'docs=https://docs.example.com/?a=b',
  'external-fingerprints': `docs=${fingerprint}`,
};
const remarks = `--annotate team=shop --annotate by=hand ${links}`;
const remarkInputs = { ...linkInputs, annotations: 'team=shop\nby=hand' };

const pipeline: readonly Step[] = [
  {
    command: 'create flow web --template-file flow.yml --description Shop',
    inputs: { operation: 'create-flow', flow: 'web', 'template-file': 'flow.yml', description: 'Shop' },
  },
  {
    command: `begin trail {commit} --flow web --description First --user-data user-data.json ${links}`,
    inputs: {
      ...{ operation: 'begin-trail', flow: 'web', description: 'First', 'user-data': 'user-data.json' },
      ...linkInputs,
    },
  },
  {
    command: `attest artifact web.tgz --artifact-type file --name web ${remarks} ${onTrail}`,
    inputs: { operation: 'attest-artifact', flow: 'web', files: 'web.tgz', 'artifact-name': 'web', ...remarkInputs },
  },
  {
    command: `attest generic --fingerprint ${fingerprint} --name review --attachments review.txt --user-data user-data.json --description Reviewed ${remarks} ${onTrail}`,
    inputs: {
      operation: 'attest-generic',
      flow: 'web',
      fingerprint,
      'attestation-name': 'review',
      files: 'review.txt',
      'user-data': 'user-data.json',
      description: 'Reviewed',
      compliant: 'true',
      ...remarkInputs,
    },
  },
  {
    command: `attest junit --fingerprint ${fingerprint} --name unit --results-dir results ${onTrail}`,
    inputs: {
      operation: 'attest-junit',
      flow: 'web',
      fingerprint,
      'attestation-name': 'unit',
      'junit-path': 'results/*.xml',
    },
  },
  {
    command: `attest sonar --fingerprint ${fingerprint} --name scan --sonar-api-token squ_user_token_0123 ${onTrail}`,
    inputs: {
      operation: 'attest-sonar',
      flow: 'web',
      fingerprint,
      'attestation-name': 'scan',
      'sonar-report-path': '.scannerwork/report-task.txt',
      'sonar-token': 'squ_user_token_0123',
    },
  },
  {
    command: `attest pullrequest github --name pull-request --github-base-url {github} --github-token token --github-org acme --repository acme/widgets ${onTrail}`,
    inputs: {
      operation: 'attest-pull-request',
      flow: 'web',
      'attestation-name': 'pull-request',
      'github-token': 'ghs_0123456789abcdef',
    },
  },
  {
    command: `attest snyk --name code --scan-results snyk.sarif ${onTrail}`,
    inputs: {
      operation: 'attest-scan',
      flow: 'web',
      'attestation-name': 'code',
      'sarif-path': 'snyk.sarif',
      'fail-on': 'low',
      'on-non-compliant': 'warn',
    },
  },
  {
    command: `attest sbom --name bom --sbom-file npm.json ${onTrail}`,
    inputs: { operation: 'attest-sbom', flow: 'web', 'attestation-name': 'bom', 'sbom-path': 'npm.json' },
  },
  {
    command: `attest sbom --name image --sbom-file trivy.json ${onTrail}`,
    inputs: { operation: 'attest-sbom', flow: 'web', 'attestation-name': 'image', 'sbom-path': 'trivy.json' },
  },
  {
    command: `attest custom --name age --type person --attestation-data person.json ${onTrail}`,
    inputs: {
      operation: 'attest-custom',
      flow: 'web',
      'attestation-name': 'age',
      'attestation-type': 'person',
      'data-path': 'person.json',
    },
  },
  {
    command: `attest jira --name issue --jira-base-url {jira} --jira-username ci --jira-api-token jira-token-0123456789 ${onTrail} --commit {commit}`,
    inputs: {
      operation: 'attest-issue',
      flow: 'web',
      'attestation-name': 'issue',
      'jira-base-url': '{jira}',
      'jira-username': 'ci',
      'jira-api-token': 'jira-token-0123456789',
    },
  },
  {
    command: 'create environment prod --type K8S --description Production',
    inputs: {
      operation: 'create-environment',
      environment: 'prod',
      'environment-type': 'K8S',
      description: 'Production',
    },
  },
  {
    command: 'create policy known policy.yml --description Known --comment First',
    inputs: {
      operation: 'create-policy',
      policy: 'known',
      files: 'policy.yml',
      description: 'Known',
      comment: 'First',
    },
  },
  {
    command: 'attach-policy known --environment prod',
    inputs: { operation: 'attach-policy', policy: 'known', environment: 'prod' },
  },
  {
    command: 'snapshot k8s prod --kubeconfig kubeconfig',
    inputs: { operation: 'report-k8s', environment: 'prod', files: 'pods.json' },
  },
];

/** Environments of the other kinds, and what is reported to each. */
const reports: readonly (readonly [kind: string, command: string, files: string])[] = [
  ['server', 'path of-server --path served --name served', 'served'],
  ['docker', 'docker of-docker', 'containers.json'],
  ['ECS', 'ecs of-ECS', 'tasks.json'],
  ['lambda', 'lambda of-lambda', 'functions.json'],
  ['S3', 's3 of-S3 --bucket bucket', 'bucket'],
];
const reporting: readonly Step[] = reports.flatMap(([kind, command, files]) => [
  {
    command: `create environment of-${kind} --type ${kind} --description ${kind}`,
    inputs: {
      ...{ operation: 'create-environment', environment: `of-${kind}`, description: kind },
      'environment-type': kind,
    },
  },
  {
    command: `snapshot ${command}`,
    inputs: { operation: 'report-environment', environment: `of-${kind}`, files },
  },
]);

const attestations = `/attestations/acme/web/trail/{commit}`;

/** What is read back. */
const records: readonly string[] = [
  '/flows/acme/web',
  '/trails/acme/web/{commit}',
  ...['review', 'unit', 'scan', 'pull-request', 'code', 'bom', 'image', 'age', 'issue'].map(
    (name) => `${attestations}/${name}`,
  ),
  '/attestations/acme/web?page=1&per_page=10',
  `/artifacts/acme/web/fingerprint/${fingerprint}?trail={commit}`,
  `/asserts/acme/fingerprint/${fingerprint}?flow_name=web`,
  '/environments/acme/prod',
  '/policies/acme/known',
  '/snapshots/acme/prod/-1',
  ...reports.map(([kind]) => `/snapshots/acme/of-${kind}/-1`),
];

/** Fields that differ, and why. */
const expectedDifferences: readonly (readonly [RegExp, string])[] = [
  [
    /(?:^|\.)(?:html_url|api_url|id|artifact_id|attestation_id)$|^_links\./u,
    'each service has its own address and ids',
  ],
  [/(?:^|\.)(?:created_at|last_\w+_at|timestamp|from)$/u, 'each record has its own moment'],
  [/(?:^|\.)(?:origin_url|build_url)$/u, 'the action names the attempt of the run, too'],
  [/(?:^|\.)user_data\.github$/u, 'the action records the run that sent the evidence'],
  [/(?:^|\.)user_data\.gathered_at$/u, 'the action records when it gathered the evidence'],
  [/(?:^|\.)user_data\.idempotency_key$/u, 'the action marks each request, so that a repetition records nothing twice'],
  [/^(?:[0-9a-f]{64}\.document\.)?user_data$/u, 'the mark of an artifact, with which the public client sends no data'],
  [
    /(?:^|\.)user_data\.revision_(?:verified|confirmed_by)$/u,
    'the action records whether the analysis is of the commit',
  ],
  [
    /(?:^|\.)user_data\.(?:rule|severities|licenses)$/u,
    'the action records its own rule, and what the form does not have',
  ],
  [/\.sonar_results\.(?:serverUrl|project\.url)$/u, 'each job has its own stand-in for Sonar'],
  [/\.conditions\.\d+\.errorThreshold$/u, 'the public client sends an empty text if a condition has no threshold'],
  [/\.pull_requests\.0\.commits\.0\.message$/u, 'the public client sends the first line only'],
  [/\.pull_requests\.0\.commits\.0\.(?:verified|signature_state)$/u, 'the public client leaves them out if unsigned'],
];

function prepare({ folder, write, platforms: { printed } }: ClientSession): void {
  write('web.tgz', artifact);
  write('review.txt', 'approved by Bob\n');
  write('user-data.json', '{ "ticket": "SHOP-7" }\n');
  write('policy.yml', '_schema: https://compliance.example.com/schemas/policy/environment/v1\n');
  write('npm.json', readText('test/evidence/bill-of-materials/samples/npm.spdx.json'));
  write('trivy.json', readText('test/evidence/bill-of-materials/samples/trivy.cyclonedx.json'));
  write('person.json', '{ "age": 30, "names": ["Ann"] }');
  write('snyk.sarif', readText('test/evidence/scan/samples/snyk-code.sarif.json'));
  for (const [name, document] of Object.entries(printed)) write(`${name}.json`, document);
  write('served/index.html', '<p>Hello</p>\n');
  write('served/logs/today.log', 'started\n');
  write('served/.kosli_ignore', 'logs\n');
  write('bucket/a.txt', storedContent);
  for (const path of ['served', 'bucket/a.txt']) utimesSync(join(folder, path), startedAt, startedAt);
  write(
    'flow.yml',
    [
      'version: 1',
      'trail:',
      '  attestations: [{ name: pull-request, type: pull_request }]',
      '  artifacts:',
      '    - name: web',
      '      attestations:',
      '        - { name: review, type: generic }',
      '        - { name: unit, type: junit }',
      '        - { name: scan, type: sonar }',
      '',
    ].join('\n'),
  );
  write(
    'results/junit.xml',
    '<testsuite name="shop" tests="1" failures="0" errors="0" skipped="0" time="1.5" timestamp="2026-01-02T03:04:05">' +
      '<testcase name="adds" classname="shop" time="1.5"/></testsuite>',
  );
}

describeWithClient('the same pipeline', () => {
  let client: ClientSession;
  let action: ClientSession;
  let jira: LoopbackServer;

  beforeAll(async () => {
    client = await openClientSession();
    action = await openClientSession();
    jira = await serve(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ key: /SHOP-7/u.exec(url)?.[0], fields: { summary: 'A lid' } }));
    });
    for (const session of [client, action]) {
      prepare(session);
      session.remember('jira', jira.url);
      // The action has no operation for it.
      expectRun(await session.run('create attestation-type person --jq .age>21'), {});
    }
    expect(action.commit).toBe(client.commit);
  }, 60_000);

  afterAll(async () => {
    await jira.close();
    await client.close();
    await action.close();
  });

  it('leaves the same records with the public client and with the action', async () => {
    for (const { command, inputs } of [...pipeline, ...reporting]) {
      expectRun(await client.run(command), {});
      const { exitCode, log } = await action.step(inputs);
      expect({ exitCode, log }).toEqual({ exitCode: 0, log });
    }
    const found = [...(await Promise.all(records.map(differencesInRecord))).flat(), ...(await differencesInStorage())];
    expect(found.filter(({ path }) => !expectedDifferences.some(([known]) => known.test(path)))).toEqual([]);
    // A field that no longer differs must not stay in the list.
    expect(expectedDifferences.filter(([known]) => !found.some(({ path }) => known.test(path)))).toEqual([]);
  }, 60_000);

  async function differencesInRecord(record: string): Promise<readonly FoundDifference[]> {
    const path = record.replaceAll('{commit}', client.commit);
    const [left, right] = await Promise.all([client, action].map(({ service }) => call(service, { path })));
    expect([left?.status, right?.status]).toEqual([200, 200]);
    return findDifferences(left?.body, right?.body).map((one) => ({ record, ...one }));
  }

  /** Compares what the API does not show: the results of tests, pull requests, and attached files. */
  async function differencesInStorage(): Promise<readonly FoundDifference[]> {
    const [left, right] = await Promise.all([client, action].map(({ service }) => storedDocuments(service.storage)));
    return findDifferences(left, right).map((one) => ({ record: 'storage', ...one }));
  }
});

/** The documents and attached files of the attestations and artifacts, by their name. */
async function storedDocuments(storage: TestStorage): Promise<unknown> {
  const attested = await storage.query(
    'SELECT name, document, attachment_filename AS filename, attachment_digest AS digest FROM attestations',
  );
  const artifacts = await storage.query('SELECT fingerprint AS name, report AS document FROM artifacts');
  const documents = [...attested, ...artifacts].map(
    ({ name, document, ...others }) =>
      [String(name), { document: JSON.parse(String(document)) as unknown, ...others }] as const,
  );
  return Object.fromEntries(documents);
}
