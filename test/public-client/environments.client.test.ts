import { expect } from '@jest/globals';
import { type ClientSession, sha256 } from '../support/client-session.ts';
import { type ClientStep, testClientSteps } from '../support/client-steps.ts';
import { runningDigest, storedContent } from '../support/platform-stand-ins.ts';
import { call } from '../support/service-call.ts';

const artifact = 'the artifact\n';
const fingerprint = sha256(artifact);

const policy = `_schema: https://compliance.example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
`;
const strictPolicy = `${policy}  attestations:
    - name: scan
      type: sonar
`;

async function prepare(session: ClientSession): Promise<void> {
  const { service, write } = session;
  write('web.tgz', artifact);
  write('other.tgz', 'another artifact\n');
  write('served/index.html', '<p>Hello</p>\n');
  write('policy.yml', policy);
  write('strict.yml', strictPolicy);
  write('broken.yml', 'artifacts: [');
  write('paths.yml', 'version: 1\nartifacts:\n  web:\n    path: web.tgz\n  site:\n    path: served\n');
  await session.run('create flow web --use-empty-template');
  await session.run('attest artifact web.tgz --artifact-type file --name web --flow web --trail first');
  // The clients of Azure and of Cloud Run cannot be directed to a stand-in, so this is what the public client sent.
  for (const [name, kind, report] of recordedReports) {
    const create = { name, type: kind, description: 'Recorded' };
    await call(service, { method: 'PUT', path: `/environments/${service.org}`, json: create });
    await call(service, { method: 'PUT', path: `/environments/${service.org}/${name}/report/${kind}`, json: report });
  }
}

const running = { digests: { 'web:1': runningDigest }, creationTimestamp: 1_700_000_000 };
const recordedReports = [
  ['apps', 'azure-apps', { artifacts: [{ ...running, app_name: 'web', app_kind: 'linux', digests_source: 'acr' }] }],
  [
    'runs',
    'cloud-run',
    {
      type: 'cloud-run',
      artifacts: [{ ...running, kind: 'service', serviceName: 'web', revisionName: 'web-00001' }],
    },
  ],
] as const;

const kinds = ['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker'] as const;

const setUp: readonly ClientStep[] = [
  ...kinds.map((kind) => ({
    command: `create environment of-${kind} --type ${kind} --description Of-${kind}`,
    says: [`of-${kind}`],
  })),
  { command: 'create environment empty --type server' },
  { command: 'create environment all --type logical --included-environments of-K8S,of-server' },
  { command: 'create environment known --type server --require-provenance', says: ['known'] },
  { command: 'create environment known --type server --description Known', says: ['known'] },
  { command: 'create environment no --type nothing', exitCode: 1, says: ['nothing'] },
  { command: 'create policy provenance policy.yml --comment First', says: ['created'] },
  { command: 'create policy provenance policy.yml --description Known --comment Second', says: ['updated'] },
  { command: 'create policy strict strict.yml', says: ['created'] },
  { command: 'create policy broken broken.yml', exitCode: 1 },
  { command: 'attach-policy provenance --environment of-server' },
  // The public client reports every answer as a success.
  { command: 'attach-policy unknown --environment of-server', status: 404 },
];

const report: readonly ClientStep[] = [
  { command: 'snapshot path of-server --path web.tgz --name web', says: ['[1] artifacts were reported'] },
  { command: 'assert snapshot of-server', says: ['COMPLIANT'] },
  { command: 'snapshot paths of-server --paths-file paths.yml', says: ['[2] artifacts were reported'] },
  { command: 'assert snapshot of-server', exitCode: 1, says: ['NON-COMPLIANT'] },
  { command: 'snapshot path known --path web.tgz --name web', says: ['[1] artifacts were reported'] },
  { command: 'assert snapshot known', says: ['COMPLIANT'] },
  { command: 'snapshot paths known --paths-file paths.yml', says: ['[2] artifacts were reported'] },
  { command: 'assert snapshot known', exitCode: 1, says: ['NON-COMPLIANT'] },
  { command: 'snapshot docker of-docker', says: ['[1] containers were reported'] },
  { command: 'snapshot k8s of-K8S --kubeconfig kubeconfig', says: ['[1] pods were reported'] },
  { command: 'snapshot ecs of-ECS', says: ['[1] containers were reported'] },
  { command: 'snapshot lambda of-lambda', says: ['1 lambda functions were reported'] },
  { command: 'snapshot s3 of-S3 --bucket bucket', says: ['bucket was reported'] },
  { command: 'snapshot docker of-K8S', exitCode: 1, says: ['Invalid report data'] },
  { command: 'snapshot docker unknown', exitCode: 1, says: ['Environment not found'] },
  { command: 'attach-policy strict --environment of-server', says: ['attached'] },
  { command: 'detach-policy strict --environment of-server', says: ['detached'] },
  { command: 'detach-policy strict --environment of-server', status: 200 },
];

const judge: readonly ClientStep[] = [
  { command: `assert artifact --fingerprint ${fingerprint} --environment of-server`, says: ['COMPLIANT'] },
  { command: `assert artifact --fingerprint ${fingerprint} --environment known`, says: ['COMPLIANT'] },
  { command: `assert artifact --fingerprint ${fingerprint} --policy provenance`, says: ['COMPLIANT'] },
  {
    command: `assert artifact --fingerprint ${fingerprint} --policy provenance --policy strict`,
    exitCode: 1,
    says: ['scan'],
  },
  {
    command: `assert artifact --fingerprint ${fingerprint} --policy strict --output json`,
    exitCode: 1,
    says: ['"scope": "policy"'],
  },
  { command: `assert artifact --fingerprint ${fingerprint} --policy unknown`, exitCode: 1, says: ['unknown'] },
];

const housekeeping: readonly ClientStep[] = [
  { command: 'tag environment known --set team=shop --set tier=1', says: ['[team, tier] added'] },
  { command: 'tag env known --set tier=2 --unset team --unset unknown', says: ['removed for env'] },
  { command: 'get environment known --output json', shows: expect.objectContaining({ tags: { tier: '2' } }) },
  { command: 'list environments --tag tier:2 --output json', shows: [expect.objectContaining({ name: 'known' })] },
  { command: 'tag flow web --set team=shop', says: ['Tag(s) [team] added for flow'] },
  { command: 'list flows --output json', shows: [expect.objectContaining({ tags: { team: 'shop' } })] },
  { command: 'list trails --flow-tag team=shop --output json', says: ['first'] },
  { command: 'list trails --flow-tag team=other --output json', says: ['[]'] },
  { command: 'join environment --logical all --physical known', says: ["environment 'known' was joined to 'all'"] },
  {
    command: 'join environment --logical known --physical of-K8S',
    exitCode: 1,
    says: ['must be a logical environment'],
  },
  { command: 'create flow done --use-empty-template' },
  { command: 'archive flow done', says: ['flow done was archived'] },
  { command: 'begin trail first --flow done', exitCode: 1, says: ['create the flow again'] },
  { command: 'list flows --output json', shows: [expect.objectContaining({ name: 'web' })] },
  { command: 'create flow done --use-empty-template' },
  { command: 'begin trail first --flow done', says: ['begun'] },
  { command: 'archive environment empty', says: ['environment empty was archived'] },
  { command: 'snapshot path empty --path web.tgz --name web', exitCode: 1, says: ['create the environment again'] },
  { command: 'archive environment unknown', exitCode: 1, says: ["Environment named 'unknown' does not exist"] },
  { command: 'rename flow web shop', says: ['flow web was renamed to shop'] },
  { command: 'get flow web --output json', shows: expect.objectContaining({ name: 'shop' }) },
  { command: 'get trail first --flow web', says: ['first'] },
  { command: 'begin trail second --flow web', says: ['begun'] },
  { command: 'list trails --flow shop --output json', says: ['first', 'second'] },
  {
    command: 'rename flow shop bad@name',
    exitCode: 1,
    says: [/new_name:String should match pattern '.*' \[input: bad@name\]/],
  },
  { command: 'rename flow unknown other', exitCode: 1, says: ["Flow named 'unknown' does not exist"] },
  { command: 'rename environment known proven', says: ['environment known was renamed to proven'] },
  { command: 'get snapshot known', says: ['web'] },
  { command: 'get snapshot proven', says: ['web'] },
  { command: 'get environment all --output json', says: ['proven'] },
  { command: 'tag control known --set team=shop', exitCode: 1, says: ['must be'] },
  {
    command: 'allow artifact served --artifact-type dir --environment known --reason Static',
    says: ['was allow listed in environment: known'],
  },
  { command: 'assert snapshot known', says: ['COMPLIANT'] },
  { command: 'allow artifact other.tgz --artifact-type file --environment unknown --reason x', exitCode: 1 },
];

const snapshot = (type: string, digest: string, change = {}): unknown =>
  expect.objectContaining({
    type,
    artifacts: [expect.objectContaining({ fingerprint: digest, creationTimestamp: [1_700_000_000], ...change })],
  });

const read: readonly ClientStep[] = [
  { command: 'get environment of-server', says: ['of-server', 'server'] },
  {
    command: 'get environment of-server --output json',
    shows: expect.objectContaining({
      name: 'of-server',
      type: 'server',
      description: 'Of-server',
      policies: ['provenance'],
    }),
  },
  { command: 'get environment unknown', exitCode: 1, says: ["Environment named 'unknown' does not exist"] },
  { command: 'list environments', says: ['of-server', 'of-K8S', 'runs'] },
  { command: 'list environments --type docker --type S3 --sort last_modified_at --sort-direction desc --output json' },
  { command: 'list environments --page 2 --page-limit 3 --name of --output json' },
  { command: 'get snapshot of-server', says: ['web'] },
  { command: 'get snapshot of-server#1', says: ['web'] },
  { command: 'get snapshot of-server~1' },
  { command: 'get snapshot of-server#23', exitCode: 1, says: ["resolves to 'of-server#23'"] },
  { command: 'get snapshot all' },
  { command: 'get snapshot of-docker --output json', shows: snapshot('docker', runningDigest) },
  { command: 'get snapshot of-K8S', says: ['web:1'] },
  { command: 'get snapshot of-K8S --output json', shows: snapshot('K8S', runningDigest) },
  { command: 'get snapshot of-ECS' },
  { command: 'get snapshot of-ECS --output json', shows: snapshot('ECS', runningDigest) },
  { command: 'get snapshot of-lambda', says: ['web'] },
  { command: 'get snapshot of-lambda --output json', shows: snapshot('lambda', runningDigest) },
  { command: 'get snapshot of-S3 --output json', shows: snapshot('S3', sha256(storedContent)) },
  { command: 'get snapshot apps', says: ['web:1'] },
  { command: 'get snapshot apps --output json', shows: snapshot('azure-apps', runningDigest) },
  { command: 'get snapshot runs', says: ['web:1'] },
  { command: 'get snapshot runs --output json', shows: snapshot('cloud-run', runningDigest) },
  { command: 'list snapshots of-server', says: ['1', '2'] },
  {
    command: 'list snapshots of-server --interval 1..NOW --reverse --output json',
    shows: [1, 2, 3, 4].map((index) => expect.objectContaining({ index })),
  },
  {
    command: 'list snapshots of-server --interval of-server#1..of-server#2 --output json',
    shows: [2, 1].map((index) => expect.objectContaining({ index })),
  },
  { command: 'list snapshots unknown', exitCode: 1, says: ["Environment named 'unknown' does not exist"] },
  { command: 'diff snapshots of-server#1 of-server#2', says: ['site'] },
  { command: 'diff snapshots of-server#1 of-server#2 --show-unchanged --output json' },
  { command: 'diff snapshots of-K8S of-ECS' },
  { command: 'diff snapshots of-server#23 of-server', exitCode: 1, says: ["'of-server#23' resolves to"] },
  {
    command: 'diff snapshots of-server empty',
    exitCode: 1,
    says: ["Snapshot 'empty' resolves to 'empty#0'. len(snapshots) == 0. Indexes are 1-based"],
  },
  { command: 'log environment of-server', says: ['web'] },
  { command: 'log environment of-server --output json' },
  { command: 'log environment of-server --interval NOW --reverse --output json' },
  {
    command: 'log environment of-server --start 1 --end NOW --page-limit 1 --output json',
    shows: [expect.objectContaining({ artifact_name: expect.any(String), sha256: expect.any(String) })],
  },
  { command: 'log environment of-server --start-ts 1700000000.5 --repo acme/widgets' },
  { command: 'get policy provenance', says: ['provenance', 'of-server'] },
  {
    command: 'get policy provenance --output json',
    shows: expect.objectContaining({
      name: 'provenance',
      description: 'Known',
      consuming_envs: ['of-server'],
      versions: [expect.anything(), expect.objectContaining({ policy_yaml: policy })],
    }),
  },
  { command: 'get policy unknown', exitCode: 1, says: ["Policy 'unknown' does not exist"] },
  { command: 'list policies', says: ['provenance', 'strict'] },
  {
    command: 'list policies --output json',
    shows: [expect.objectContaining({ name: 'provenance' }), expect.objectContaining({ name: 'strict' })],
  },
  { command: `get artifact web@${fingerprint}`, says: ['of-server'] },
  { command: `search ${fingerprint}`, says: ['of-server'] },
  { command: 'get trail first --flow web' },
];

testClientSteps('environments of the public client', prepare, [
  ...setUp,
  ...report,
  ...judge,
  ...read,
  ...housekeeping,
]);
