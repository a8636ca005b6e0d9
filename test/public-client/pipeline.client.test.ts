import { expect } from '@jest/globals';
import { type ClientSession, sha256 } from '../support/client-session.ts';
import { type ClientStep, testClientSteps } from '../support/client-steps.ts';

const artifact = 'the artifact\n';
const fingerprint = sha256(artifact);
const elsewhere = sha256('an artifact that nobody reported');

const flowTemplate = `version: 1
trail:
  attestations:
    - name: pull-request
      type: pull_request
  artifacts:
    - name: web
      attestations:
        - name: review
          type: generic
        - name: unit
          type: junit
        - name: scan
          type: sonar
`;

/** Allows a trail whose artifact has a scan with a passed gate, and that has a pull request. */
const rego = `package policy
import rego.v1
default allow := false
allow if {
  scan := input.trail.compliance_status.artifacts_statuses.web.attestations_statuses.scan
  scan.is_compliant
  scan.sonar_results.qualityGate.status == "OK"
  some found in input.trail.compliance_status.attestations_statuses["pull-request"].pull_requests
  count(found.approvers) >= 0
}
`;

const trailTemplate = `version: 1
trail:
  attestations:
    - name: audit
      type: generic
`;

const passedTests = `<?xml version="1.0"?>
<testsuites>
  <testsuite name="shop" tests="2" failures="0" errors="0" skipped="1" time="1.5" timestamp="2026-01-02T03:04:05">
    <testcase name="adds" classname="shop" time="1.0"/>
    <testcase name="removes" classname="shop" time="0.5"><skipped/></testcase>
  </testsuite>
</testsuites>
`;
const failedTests = passedTests.replace('failures="0"', 'failures="1"').replace('<skipped/>', '<failure/>');

const sarif = JSON.stringify({
  version: '2.1.0',
  $schema: 'https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json',
  runs: [
    {
      tool: { driver: { name: 'Snyk Code', version: '1.1' } },
      results: [
        {
          ...{
            ruleId: 'js/sqli',
            level: 'warning',
            message: { text: 'Injection' },
            properties: { priorityScore: 500 },
          },
          locations: [
            { physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region: { startLine: 3, endLine: 4 } } },
          ],
        },
      ],
    },
  ],
});

const cyclonedx = JSON.stringify({
  ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
  metadata: { timestamp: '2026-01-02T03:04:05Z', component: { type: 'application', name: 'shop', version: '1.0' } },
  components: [{ type: 'library', name: 'left-pad', version: '1.3.0', licenses: [{ license: { id: 'MIT' } }] }],
});

function prepare({ write }: ClientSession): void {
  write('flow.yml', flowTemplate);
  write('trail.yml', trailTemplate);
  write('wrong.yml', flowTemplate.replace('junit', 'nothing-known'));
  write('policy.rego', rego);
  write('web.tgz', artifact);
  write('review.txt', 'approved by Bob\n');
  write('user-data.json', '{ "ticket": "SHOP-7" }\n');
  write('passed/junit.xml', passedTests);
  write('failed/junit.xml', failedTests);
  write('scan.sarif', sarif);
  write('bom.json', cyclonedx);
  write('person-schema.json', '{"properties":{"age":{"type":"integer"}}}');
  write('person.json', '{"age":20}');
}

const named = (name: string): unknown => expect.objectContaining({ name });
const onTrail = '--flow web --trail {commit}';

const record: readonly ClientStep[] = [
  { command: 'create flow web --template-file flow.yml --description Shop', says: ["flow 'web' was created"] },
  { command: 'create flow web --template-file flow.yml --description Web-shop', says: ["flow 'web' was updated"] },
  { command: 'create flow empty --use-empty-template', says: ["flow 'empty' was created"] },
  { command: 'create flow listed --template artifact,scan', says: ["flow 'listed' was created"] },
  {
    command: 'create flow wrong --template-file wrong.yml',
    exitCode: 1,
    says: [/1 validation error for Template\n.*nothing-known/u],
  },
  { command: 'begin trail {commit} --flow web --description First', says: [/begun/u] },
  { command: 'begin trail {commit} --flow web --user-data user-data.json', says: [/updated/u] },
  { command: 'begin trail own --flow web --template-file trail.yml', says: [/begun/u] },
  { command: 'begin trail wrong --flow web --template-file wrong.yml', exitCode: 1, says: ['nothing-known'] },
  { command: 'begin trail lost --flow unknown', exitCode: 1, says: ["Flow named 'unknown' does not exist"] },
  { command: `attest artifact web.tgz --artifact-type file --name web ${onTrail}`, says: ['web.tgz'] },
  { command: 'assert artifact web.tgz --artifact-type file --flow web', exitCode: 1, says: ['not compliant'] },
  {
    command: `attest generic web.tgz --artifact-type file --name review --attachments review.txt --user-data user-data.json ${onTrail}`,
  },
  { command: `attest junit --fingerprint ${fingerprint} --name unit --results-dir failed ${onTrail}` },
  { command: `assert artifact --fingerprint ${fingerprint} --flow web`, exitCode: 1, says: ['not compliant'] },
  { command: `attest junit --fingerprint ${fingerprint} --name unit --results-dir passed ${onTrail}` },
  {
    command: `attest pullrequest github --name pull-request --github-base-url {github} --github-token token --github-org acme --repository acme/widgets ${onTrail}`,
    says: ['found 1 pull request(s)'],
  },
  {
    command: `attest sonar --fingerprint ${fingerprint} --name scan --sonar-api-token squ_user_token_0123 ${onTrail}`,
  },
  { command: 'create attestation-type person --schema person-schema.json --jq .age>21 --description Adults' },
  { command: 'create attestation-type person --jq .age' },
  { command: 'create attestation-type snyk', exitCode: 1, says: ['is the name of a type of the service'] },
  { command: 'create attestation-type broken --jq .age>', exitCode: 1, says: ['syntax error'] },
  { command: 'create attestation-type person --schema person-schema.json --jq .age>21' },
  { command: 'get attestation-type person', says: ['Adults', '.age>21', 'integer'] },
  { command: 'get attestation-type person@v2', says: ['.age'] },
  {
    command: 'get attestation-type person@v10',
    exitCode: 1,
    says: ['version 10 does not exist for custom attestation'],
  },
  { command: 'get attestation-type nobody', exitCode: 1, says: ["Custom attestation type 'nobody' does not exist"] },
  { command: 'list attestation-types', says: ['person', '3'] },
  { command: 'attest custom --type person --name age --attestation-data person.json --flow web --trail own' },
  { command: 'get attestation age --flow web --trail own', says: ['custom:person', 'false'] },
  {
    command:
      'attest override --name age --reason Reviewed --new-compliance-status=true --original-attestation-type custom:person --flow web --trail own',
    says: ["attestation 'age' has been overridden"],
  },
  { command: 'get attestation age --flow web --trail own', says: ['custom:person', 'true'] },
  {
    command:
      'attest override --name nothing --reason x --new-compliance-status=true --original-attestation-type generic --flow web --trail own',
    exitCode: 1,
    says: ['nothing to override'],
  },
  { command: 'archive attestation-type person' },
  { command: 'get attestation-type person', exitCode: 1, says: ["'person' is archived"] },
  { command: `attest generic --name extra --compliant=true ${onTrail}` },
  { command: 'attest generic --name audit --compliant=false --flow web --trail own' },
  { command: 'attest snyk --name vulnerabilities --scan-results scan.sarif --flow web --trail own' },
  { command: 'attest sbom --name bom --sbom-file bom.json --flow web --trail own' },
  { command: 'attest decision --name control --control RCTL-1 --compliant=true --flow web --trail own' },
  { command: `attest generic --name later.review --flow web --trail own --commit {commit}` },
  {
    command: `attest generic --fingerprint ${elsewhere} --name review ${onTrail}`,
    exitCode: 1,
    says: ['does not exist'],
  },
];

const judge: readonly ClientStep[] = [
  { command: `assert artifact --fingerprint ${fingerprint} --flow web`, says: ['COMPLIANT'] },
  { command: `assert artifact --fingerprint ${fingerprint}`, says: ['COMPLIANT'] },
  {
    command: `assert artifact --fingerprint ${fingerprint} --flow web --output json`,
    shows: expect.objectContaining({ compliant: true, scope: 'flow' }),
  },
  { command: `assert artifact --fingerprint ${elsewhere}`, exitCode: 1, says: [`${elsewhere}' does not exist`] },
];

const read: readonly ClientStep[] = [
  { command: 'get flow web', says: ['web', 'Web-shop'] },
  { command: 'get flow web --output json', shows: expect.objectContaining({ name: 'web', description: 'Web-shop' }) },
  { command: 'get flow unknown', exitCode: 1, says: ["Flow named 'unknown' does not exist"] },
  { command: 'list flows', says: ['web', 'empty'] },
  { command: 'list flows --name WEB --ignore-case --output json', shows: [named('web')] },
  {
    command: 'list flows --page 2 --page-limit 1 --output json',
    shows: expect.objectContaining({
      data: [expect.anything()],
      pagination: expect.objectContaining({ page: 2, total: 3 }),
    }),
  },
  { command: 'get trail {commit} --flow web', says: ['COMPLIANT'] },
  {
    command: 'get trail {commit} --flow web --output json',
    shows: expect.objectContaining({ compliance_state: 'COMPLIANT', description: 'First' }),
  },
  { command: 'get trail {commit} --flow web --output markdown' },
  { command: 'get trail own --flow web', says: ['NON-COMPLIANT'] },
  { command: 'get trail unknown --flow web', exitCode: 1, says: ["Trail with name 'unknown' does not exist for"] },
  { command: 'list trails --flow web', says: ['own'] },
  {
    command: `list trails --flow web --fingerprint ${fingerprint} --output json`,
    shows: expect.objectContaining({
      data: [expect.objectContaining({ description: 'First', compliance_state: 'COMPLIANT' })],
    }),
  },
  { command: 'list trails --flow unknown' },
  { command: 'list trails' },
  { command: `get attestation review ${onTrail}` },
  { command: `get attestation review --flow web --fingerprint ${fingerprint} --output json` },
  {
    command: `get attestation scan ${onTrail} --output json`,
    keeps: ['scan', 'attestation_id'],
    shows: [expect.objectContaining({ attestation_name: 'scan', attestation_type: 'sonar', is_compliant: true })],
  },
  ...(
    [
      ['vulnerabilities', 'snyk', false],
      ['bom', 'sbom', true],
      ['control', 'decision', true],
    ] as const
  ).map(([name, type, compliant]) => ({
    command: `get attestation ${name} --flow web --trail own --output json`,
    shows: [expect.objectContaining({ attestation_type: type, is_compliant: compliant })],
  })),
  { command: 'get attestation --attestation-id {scan}', says: ['scan', 'sonar'] },
  {
    command: 'get attestation --attestation-id {scan} --output json',
    shows: { data: [expect.objectContaining({ sonar_results: expect.anything(), attachments: [] })] },
  },
  { command: 'get attestation --attestation-id 00000000-0000-0000-0000-00000000', says: ['No attestations found'] },
  { command: 'get attestation --attestation-id unknown', says: ['No attestations found'] },
  { command: 'evaluate trail {commit} --flow web --policy policy.rego', says: ['ALLOWED'] },
  { command: `get attestation unknown ${onTrail}` },
  { command: `get artifact web@${fingerprint}` },
  {
    command: `get artifact web@${fingerprint} --output json`,
    shows: expect.objectContaining({ fingerprint, state: 'COMPLIANT' }),
  },
  { command: 'get artifact web:{commit} --trail {commit}' },
  { command: 'list artifacts --flow web', says: ['web.tgz'] },
  {
    command: 'list artifacts --repo acme/widgets --output json',
    shows: [expect.objectContaining({ filename: 'web.tgz', fingerprint, state: 'COMPLIANT' })],
  },
  { command: 'list artifacts --flow unknown', exitCode: 1 },
  { command: 'search {commit}' },
  { command: `search ${fingerprint.slice(0, 12)}` },
  {
    command: `search ${fingerprint} --output json`,
    shows: expect.objectContaining({
      resolved_to: expect.objectContaining({ type: 'fingerprint' }),
      artifacts: [expect.objectContaining({ fingerprint, flow: 'web', compliance_state: 'COMPLIANT' })],
    }),
  },
  { command: 'search 0000000', exitCode: 1, says: ["No matches for '0000000'"] },
];
testClientSteps('a pipeline of the public client', prepare, [...record, ...judge, ...read]);
