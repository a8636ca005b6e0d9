import { createHash } from 'node:crypto';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { createSend, type Send, toForm } from './sample-client.ts';
import type { SampleOptions } from './sample-data.ts';
import {
  type SampleCommit,
  sampleFingerprint,
  sampleSha,
  toPullRequest,
  toSonarResults,
  toTestResults,
} from './sample-evidence.ts';

const day = 86_400;

/** The length of the recorded history, in days. */
const companyDays = 90;

const trailCount = 1000;

/** The number of the first pull request. */
const firstNumber = 4000;

/** How many commits get their evidence at the same time. */
const groupSize = 10;

const longFlow =
  'the-service-that-nobody-wants-to-rename-because-every-dashboard-and-every-script-of-the-company-has-it';
const longEnvironment = 'edge-devices-in-the-shops-of-all-countries-with-the-software-of-the-year-before';

/** The flow with most trails, evidence of all kinds, and trails in each state. */
export const companyFlow = 'shop-web';

const otherFlows: readonly (readonly [name: string, description: string])[] = [
  ['shop-api', 'The API of the shop'],
  ['checkout', 'Der Bezahlvorgang: Überweisung, Größe und Maß'],
  ['payments', 'خدمة الدفع: من الطلب إلى الإيصال'],
  ['search', '商品検索サービス'],
  ['search-index', '搜索索引,每小时更新一次'],
  ['recommendations', 'Рекомендации для покупателей'],
  ['catalog', 'Каталог товаров'],
  ['pricing', 'מחירים והנחות'],
  ['inventory', 'माल का भंडार'],
  ['warehouse', 'Warehouse 📦🏭'],
  ['shipping', 'Versand 🚚 — nach überallhin'],
  ['returns', 'คืนสินค้า'],
  ['customers', '고객 관리'],
  ['accounts', 'Accounts of customers'],
  ['sign-in', 'Sign-in and consent'],
  ['notifications', 'E-mail, SMS and push'],
  ['billing', 'Billing'],
  ['invoices', 'Invoices as PDF'],
  ['reports', 'Reports for finance'],
  ['data-pipeline', 'From the shop to the warehouse of data'],
  ['ranking-model', 'The model that ranks products'],
  ['infrastructure', 'Clusters and networks as code'],
  ['observability', 'Logs, metrics and traces'],
  ['handbook', 'The handbook'],
  ['design-system', 'Ze\u0301ro\u0302 combining marks: Z\u0351\u036b\u0343a\u0328\u0301l\u0334go'],
  ['mobile', 'The app'],
  [longFlow, 'A flow with a long name. '.repeat(12)],
];

/** Flows without trails. */
const emptyFlows = ['mainframe', 'next-year'];

/** The first ones need only characters for which every machine has a font; pictures use these. */
const authors = [
  'Ada Example <ada@example.com>',
  'Grace Example <grace@example.com>',
  'Дмитрий Иванов <dmitri@example.com>',
  'Zoë A\u030angstro\u0308m <zoe@example.com>',
  '山田 太郎 <taro@example.com>',
  'محمد الأمين <mohammed@example.com>',
  'नेहा शर्मा <neha@example.com>',
  'dependency-updates[bot] <bot@example.com>',
];

const branches = [
  'main',
  'main',
  'main',
  'main',
  'feature/new-basket',
  'fix/注文画面',
  'feature/שלום-עולם',
  'release/2026.11',
];

const messages = [
  'basket: keep the goods when the session ends',
  'payment: retry a declined card once 💳',
  'build(deps): update all packages of the group "weekly" to their latest versions',
  '検索: 全角の数字でも見つかるようにする',
  'إصلاح: حساب الضريبة عند الإرجاع',
  'Исправлена сортировка по цене',
  'תיקון: סדר המוצרים בעגלה (RTL)',
  'design: icons in every size 👩🏽‍💻🏳️‍🌈',
  'checkout: say which field is wrong, in the language of the customer, and do not lose what was entered before, even if ' +
    'the browser was closed in between, which happened on slow connections in trains and was reported by many customers',
];

const templateOfAll = `version: 1
trail:
  attestations:
    - name: pull-request
      type: pull_request
    - name: ticket
      type: jira
  artifacts:
    - name: web
      attestations:
        - name: unit-tests
          type: junit
        - name: sonar
          type: sonar
        - name: scan
          type: snyk
        - name: coverage
          type: custom:coverage
        - name: licences
          type: generic
`;

const templateOfOthers = `version: 1
trail:
  attestations:
    - name: pull-request
      type: pull_request
    - name: unit-tests
      type: junit
`;

const policy = (rules: string): string => `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
${rules}`;

const unitTests = '  attestations:\n    - type: junit\n      name: unit-tests\n';

/** The versions of the policies, with their comments, and after how many trails they are saved. */
const policies: readonly (readonly [name: string, rules: string, comment: string, after: number])[] = [
  ['production-rules', '', 'first version', 0],
  ['strict', '  trail-compliance:\n    required: true\n', 'all evidence of the template', 0],
  ['provenance', '', 'only what was reported', 0],
  ['not-attached', unitTests, 'for next year', 0],
  ['production-rules', unitTests, 'tests are required, too', 200],
  ['production-rules', `${unitTests}    - type: pull_request\n      name: pull-request\n`, 'reviews: اتفقنا عليه', 500],
];

/** What is known of a commit before it is reported. */
interface Change {
  readonly index: number;
  readonly flow: string;
  readonly commit: SampleCommit;
}

/** A number from 0 to 1 that is the same in each run. */
function chance(index: number, what: string): number {
  return createHash('sha1').update(`${index} ${what}`).digest().readUInt32BE() / 2 ** 32;
}

/** How many authors, branches and messages are used; undefined for all. */
type Simple = 3 | undefined;

function choose<Item>(items: readonly Item[], index: number, what: string): Item {
  const chosen = items[Math.floor(chance(index, what) * items.length)];
  if (chosen === undefined) throw new RangeError(`there is no ${what}`);
  return chosen;
}

function toChange(index: number, time: number, simple?: Simple): Change {
  const isMain = chance(index, 'flow') < 0.15;
  const flow = isMain ? companyFlow : choose(otherFlows, index, 'other flow')[0];
  const sha1 = sampleSha(`commit ${index}`);
  const message = `${choose(messages.slice(0, simple), index, 'message')}\n\nWith a longer explanation.`;
  const [author, branch] = [
    choose(authors.slice(0, simple), index, 'author'),
    choose(branches.slice(0, simple), index, 'branch'),
  ];
  const url = `https://git.example.com/acme/${flow}/commit/${sha1}`;
  return { index, flow, commit: { sha1, author, branch, message, timestamp: Math.floor(time), url } };
}

/** The latest commit of the web shop, or the latest one whose tests failed. */
export function findLatestChange(isFailed = false): {
  readonly sha1: string;
  readonly fingerprint: string;
  readonly pullRequest: string;
} {
  const changes = Array.from({ length: trailCount }, (_, index) => toChange(index, 0));
  const found = changes.findLast((change) => change.flow === companyFlow && (!isFailed || isBad(change, 'tests')));
  if (found === undefined) throw new RangeError('there is no such change');
  const { index, commit } = found;
  return { sha1: commit.sha1, fingerprint: toFingerprint(found), pullRequest: String(firstNumber + index) };
}

/**
 * Records what a company has after three months: 30 flows, 1,000 trails with the name of their commit, evidence of all
 * kinds in all states, names in many scripts, and environments of which some comply. Fewer checks fail in later months.
 */
export async function recordCompany(options: SampleOptions): Promise<void> {
  const { org, end, isHostile, setTime } = options;
  const send = createSend(options);
  const start = end - companyDays * day;
  const simple = isHostile ? undefined : 3;
  setTime(start - day);
  const ada = await createUser(options, 'ada');
  const grace = await createUser(options, 'grace');
  await createRules(ada, org, isHostile);
  const deployed = new Map<string, Change>();
  for (let first = 0; first < trailCount; first += groupSize) {
    const numbers = Array.from({ length: Math.min(groupSize, trailCount - first) }, (_, place) => first + place);
    const changes = numbers.map((index) => toChange(index, start + (index / trailCount) * companyDays * day, simple));
    for (const change of changes) {
      setTime(change.commit.timestamp + 600);
      await beginTrail(send, org, change);
    }
    await savePolicies(grace, org, first + groupSize);
    await Promise.all(changes.map((change) => attestAll(send, org, change)));
    for (const change of changes.filter(hasArtifact)) deployed.set(change.flow, change);
    await reportEnvironments(send, org, first / groupSize, [...deployed.values()]);
    if (isHostile && first % 300 === 0) await reportUnknown(send, org, first);
  }
}

async function createUser(options: SampleOptions, user: string): Promise<Send> {
  const send = createSend(options);
  await send('PUT', `/organizations/${options.org}/members/${user}`, { role: 'admin' });
  const created = await send('POST', `/organizations/${options.org}/members/${user}/api-keys`, {});
  return createSend({ ...options, key: String(valueAt(created, 'key')) });
}

async function savePolicies(send: Send, org: string, after: number): Promise<void> {
  for (const [name, rules, comment] of policies.filter((one) => one[3] === after)) {
    const payload = { name, description: `The policy ${name}`, comment, type: 'env' };
    await send('PUT', `/policies/${org}`, toForm('payload', payload, { policy_file: ['policy.yaml', policy(rules)] }));
  }
}

async function createRules(send: Send, org: string, isHostile: boolean): Promise<void> {
  const form = (name: string, description: string, text: string): FormData =>
    toForm('data_json', { name, description }, { template_file: ['template.yaml', text] });
  await send('PUT', `/flows/${org}/template_file`, form(companyFlow, 'The web shop', templateOfAll));
  for (const [name, description] of otherFlows)
    await send(
      'PUT',
      `/flows/${org}/template_file`,
      form(name, isHostile ? description : `The service ${name}`, templateOfOthers),
    );
  for (const name of emptyFlows)
    await send('PUT', `/flows/${org}`, { name, description: 'Not reported yet', template: ['artifact'] });
  const type = {
    name: 'coverage',
    description: 'The part of the lines that tests cover',
    evaluator: { content_type: 'jq', rules: ['.covered >= 70'] },
    summary: [{ name: 'Covered', expression: '.covered' }],
  };
  await send('POST', `/custom-attestation-types/${org}`, toForm('data_json', type));
  const attached = { 'production-eu': ['production-rules'], 'production-us': ['strict'], staging: ['provenance'] };
  const kinds = {
    ...{ 'production-eu': 'K8S', 'production-us': 'K8S', staging: 'docker', preview: 'K8S', functions: 'lambda' },
    ...{ [longEnvironment]: 'server' },
  };
  for (const [name, kind] of Object.entries(kinds))
    await send('PUT', `/environments/${org}`, { name, type: kind, description: `The ${kind} environment` });
  const included_environments = ['production-eu', 'production-us'];
  await send('PUT', `/environments/${org}`, { name: 'production', type: 'logical', included_environments });
  await savePolicies(send, org, 0);
  for (const [name, policy_names] of Object.entries({ ...attached, [longEnvironment]: ['provenance'] }))
    await send('POST', `/environments/${org}/${name}/policies`, { policy_names });
}

function beginTrail(send: Send, org: string, { flow, commit }: Change): Promise<unknown> {
  const begun = { name: commit.sha1, description: '', git_commit_info: commit };
  return send('PUT', `/trails/${org}/${flow}`, toForm('data_json', begun));
}

async function attestAll(send: Send, org: string, change: Change): Promise<void> {
  const { index, flow, commit } = change;
  const about = { git_commit_info: commit, user_data: { github: { run_id: String(9_000_000 + index) } } };
  const path = `/attestations/${org}/${flow}/trail/${commit.sha1}`;
  const evidence = [...listEvidence(change), ...(flow === companyFlow ? listWebEvidence(change) : [])];
  const sent = evidence
    .filter(([, name]) => !isMissing(change, name))
    .map(([type, attestation_name, document]) =>
      send('POST', `${path}/${type}`, toForm('data_json', { attestation_name, ...document, ...about })),
    );
  if (hasArtifact(change)) sent.push(send('POST', `/artifacts/${org}/${flow}`, toReport(change)));
  await Promise.all(sent);
}

/** Whether a check of the change failed: fewer do in later months. */
const isBad = ({ index }: Change, what: string): boolean => chance(index, what) < 0.12 - 0.1 * (index / trailCount);

/** Whether the evidence was never reported. The latest changes wait for theirs. */
const isMissing = ({ index }: Change, name: string): boolean =>
  chance(index, `no ${name}`) < (index > trailCount - 40 ? 0.2 : 0.01);

/** Whether the change is built: each of the web shop, some of others. */
const hasArtifact = ({ index, flow }: Change): boolean => flow === companyFlow || chance(index, 'artifact') < 0.2;

function toReport({ index, flow, commit }: Change): object {
  return {
    ...{ fingerprint: toFingerprint({ flow, index }), filename: `registry.example.com/acme/${flow}:2.${index}.0` },
    ...{ git_commit: commit.sha1, git_commit_info: commit, commit_url: commit.url, trail_name: commit.sha1 },
    build_url: `https://ci.example.com/builds/${index}`,
    ...(flow === companyFlow ? { template_reference_name: 'web' } : {}),
  };
}

type Evidence = readonly [type: string, name: string, document: object];

function listEvidence(change: Change): readonly Evidence[] {
  const { index, flow, commit } = change;
  const [subject = ''] = commit.message.split('\n', 1);
  const pull_requests = isBad(change, 'review') ? [] : [toPullRequest(commit, String(firstNumber + index), subject)];
  const junit_results = toTestResults(isBad(change, 'tests') ? 1 + (index % 3) : 0);
  return [
    ['pull_request', 'pull-request', { git_provider: 'github', pull_requests }],
    ['junit', flow === companyFlow ? 'web.unit-tests' : 'unit-tests', { junit_results }],
  ];
}

/** The evidence that only the web shop needs. */
function listWebEvidence(change: Change): readonly Evidence[] {
  const { index, commit } = change;
  const ticket = { issue_id: `SHOP-${index}`, issue_url: `https://tickets.example.com/SHOP-${index}` };
  const jira_results = isBad(change, 'ticket') ? [] : [{ ...ticket, issue_exists: true }];
  const status = isBad(change, 'sonar') ? 'ERROR' : chance(index, 'unknown') < 0.04 ? 'NONE' : 'OK';
  const found = { high_count: isBad(change, 'scan') ? 2 : 0, medium_count: 0, low_count: 0 };
  const snyk_results = {
    ...{ schema_version: 1, tool: { name: 'scanner', version: '3.1' } },
    results: [{ ...found, high: null, medium: null, low: null }],
  };
  const attestation_data = { covered: isBad(change, 'coverage') ? 61 : 84 };
  return [
    ['jira', 'ticket', { jira_results }],
    ['snyk', 'web.scan', { snyk_results }],
    ['custom', 'web.coverage', { type_name: 'coverage', attestation_data }],
    ['sonar', 'web.sonar', { sonar_results: toSonarResults(status, commit.sha1) }],
    ['generic', 'web.licences', { is_compliant: true, description: 'すべて許可されています ✅' }],
  ];
}

const toFingerprint = ({ flow, index }: Pick<Change, 'flow' | 'index'>): string =>
  sampleFingerprint(`${flow} ${index}`);

/** Reports what runs after a group of changes. */
async function reportEnvironments(send: Send, org: string, group: number, latest: readonly Change[]): Promise<void> {
  const running = latest.slice(0, 12);
  const toImage = (change: Change): object => ({
    digests: { [`registry.example.com/acme/${change.flow}`]: toFingerprint(change) },
    creationTimestamp: change.commit.timestamp,
  });
  const toPod = (change: Change): object => ({
    ...{ podName: `${change.flow.slice(0, 40)}-${change.index}`, namespace: 'shop' },
    ...toImage(change),
  });
  const [images, pods] = [running.map(toImage), running.map(toPod)];
  const report = (name: string, kind: string, artifacts: readonly object[]): Promise<unknown> =>
    send('PUT', `/environments/${org}/${name}/report/${kind}`, { artifacts });
  await report('staging', 'docker', images);
  if (group % 10 === 0) await report('preview', 'K8S', pods.slice(0, 2));
  if (group % 2 === 0) await report('production-us', 'K8S', pods);
  // Only what has passed its checks, which a gate decides.
  if (group % 3 === 0) await report('production-eu', 'K8S', running.filter(isGood).map(toPod));
}

/** Reports an environment that breaks its rule after two months. */
function reportUnknown(send: Send, org: string, trails: number): Promise<unknown> {
  const unknown = { digests: { 'printer-driver': sampleFingerprint('printer') }, creationTimestamp: 1_780_000_000 };
  return send('PUT', `/environments/${org}/${longEnvironment}/report/server`, {
    artifacts: trails < 600 ? [] : [unknown],
  });
}

/** Whether a gate would deploy the change. */
const isGood = (change: Change): boolean =>
  ['review', 'tests'].every((what) => !isBad(change, what)) &&
  listEvidence(change).every(([, name]) => !isMissing(change, name));
