import type { Operation } from '../../src/operations/operation.ts';
import { mapConcurrently } from '../../src/runtime/concurrent.ts';
import { listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { createServiceAccount } from './administration.ts';
import { provenancePolicy, saveEnvironment, savePolicy } from './environment-samples.ts';
import { shas } from './events.ts';
import { aPod, podList } from './pods.ts';
import type { TestService } from './service.ts';
import { call } from './service-call.ts';
import { saveCustomType, saveFlow as saveSampleFlow } from './service-samples.ts';
import { webhookPayloadWith } from './sonar-analysis.ts';
import type { Workspace } from './temporary-workspace.ts';

/** The steps of one operation that writes, counted from 0. Each writes something of its own. */
export interface WritingStep {
  readonly inputs: (index: number) => Readonly<Record<string, string>>;
  /** What the step reports if it is exact; undefined if the operation reports no effect. */
  readonly state: string | undefined;
  /** Creates what the steps change. */
  readonly prepare: (service: TestService, steps: number) => Promise<unknown>;
  /** How many times the service recorded what each step sent; for a state, whether it is set. */
  readonly records: (service: TestService, steps: number) => Promise<readonly number[]>;
}

/** The flows that share the attestations of a kind, or the artifacts, so that a list of one stays short. */
const flows = 25;

const nothing = (): Promise<unknown> => Promise.resolve();

/** Writes the files that the steps read. */
export async function writeReports(workspace: Workspace): Promise<void> {
  await workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', shas.head)));
  await workspace.write('pods.json', JSON.stringify(podList(aPod('web-1'))));
  await workspace.write('policy.yaml', provenancePolicy);
  await workspace.write('data.json', '{"lines":81}');
  await workspace.write('junit.xml', '<testsuite name="unit"><testcase name="works"/></testsuite>');
  await workspace.write(
    'scan.sarif',
    '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Scanner"}},"results":[]}]}',
  );
  await workspace.write('bom.json', '{"bomFormat":"CycloneDX","specVersion":"1.6"}');
}

/** The steps of every operation that writes. */
export const writingSteps: Partial<Readonly<Record<Operation['name'], WritingStep>>> = {
  'create-flow': {
    inputs: (index) => ({ flow: `flow-${index}`, description: 'Of a test', template: 'sonar' }),
    state: 'created',
    prepare: nothing,
    records: (service, steps) => found(steps, (index) => `/flows/${service.org}/flow-${index}`, service),
  },
  'create-environment': {
    inputs: (index) => ({ environment: `created-${index}`, 'environment-type': 'K8S' }),
    state: undefined,
    prepare: nothing,
    records: (service, steps) => found(steps, (index) => `/environments/${service.org}/created-${index}`, service),
  },
  'report-k8s': {
    inputs: (index) => ({ environment: `reported-${index}`, files: 'pods.json' }),
    state: 'changed',
    prepare: (service, steps) => each(steps, (index) => saveEnvironment(service, `reported-${index}`)),
    records: (service, steps) =>
      each(steps, async (index) => {
        const { body } = await call(service, { path: `/snapshots/${service.org}/reported-${index}` });
        return Array.isArray(body) ? body.length : Number(valueAt(body, 'pagination', 'total'));
      }),
  },
  'attach-policy': {
    inputs: (index) => ({ environment: `attached-${index}`, policy: 'attached' }),
    state: 'attached',
    async prepare(service, steps) {
      await savePolicy(service, 'attached');
      await each(steps, (index) => saveEnvironment(service, `attached-${index}`));
    },
    async records(service, steps) {
      const users = await environmentsWith(service, 'attached');
      return Array.from({ length: steps }, (_, index) => (users.has(`attached-${index}`) ? 1 : 0));
    },
  },
  'detach-policy': {
    inputs: (index) => ({ environment: `detached-${index}`, policy: 'detached' }),
    state: 'detached',
    async prepare(service, steps) {
      await savePolicy(service, 'detached');
      await each(steps, (index) => saveEnvironment(service, `detached-${index}`, { policies: ['detached'] }));
    },
    async records(service, steps) {
      const users = await environmentsWith(service, 'detached');
      return Array.from({ length: steps }, (_, index) => (users.has(`detached-${index}`) ? 0 : 1));
    },
  },
  'create-policy': {
    inputs: (index) => ({ policy: `policy-${index}`, files: 'policy.yaml' }),
    state: 'created',
    prepare: nothing,
    records: (service, steps) =>
      each(steps, async (index) => {
        const { body } = await call(service, { path: `/policies/${service.org}/policy-${index}` });
        return listAt(body, 'versions').length;
      }),
  },
  'attest-sonar': attestSteps('sonar', 'OK', { 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn' }),
  'attest-generic': attestSteps('generic', undefined, { compliant: 'true', files: 'pods.json' }),
  'attest-junit': attestSteps('junit', undefined, { 'junit-path': 'junit.xml' }),
  'attest-scan': attestSteps('scan', undefined, { 'sarif-path': 'scan.sarif' }),
  'attest-sbom': attestSteps('sbom', undefined, { 'sbom-path': 'bom.json' }),
  'attest-issue': attestSteps('issue', undefined, {
    'issue-pattern': 'NONE-1',
    'github-token': 'ghs_0123456789abcdef',
  }),
  'attest-custom': {
    ...attestSteps('custom', undefined, { 'attestation-type': 'custom:coverage', 'data-path': 'data.json' }),
    async prepare(service) {
      await saveCustomType(service, { name: 'coverage', rules: ['.lines >= 80'] });
      await each(flows, (index) => saveFlow(service, `custom-${index}`));
    },
  },
  'attest-pull-request': attestSteps('pull-request', undefined, { 'github-token': 'ghs_0123456789abcdef' }),
  'begin-trail': {
    inputs: (index) => ({ flow: 'begun-0', trail: `trail-${index}`, description: 'Of a test' }),
    state: 'begun',
    prepare: (service) => saveFlow(service, 'begun-0'),
    records: (service, steps) => found(steps, (index) => `/trails/${service.org}/begun-0/trail-${index}`, service),
  },
  'attest-artifact': {
    inputs: (index) => ({
      flow: `built-${index % flows}`,
      fingerprint: index.toString(16).padStart(64, '0'),
      filename: `web-${index}.tgz`,
    }),
    state: undefined,
    prepare: (service) => each(flows, (index) => saveFlow(service, `built-${index}`)),
    // The list has an entry for each report, not for each artifact.
    async records(service, steps) {
      const lists = await each(flows, (index) => artifactsOf(service, `built-${index}`));
      return countEach(steps, lists.flat(), (index) => `web-${index}.tgz`);
    },
  },
  'delete-service-account': {
    inputs: (index) => ({ 'service-account': `doomed-${index}` }),
    state: 'deleted',
    prepare: (service, steps) => each(steps, (index) => createServiceAccount(service, { name: `doomed-${index}` })),
    async records(service, steps) {
      const { body } = await call(service, { path: `/service-accounts/${service.org}` });
      const names = new Set((Array.isArray(body) ? body : []).map((account) => textAt(account, 'name')));
      return Array.from({ length: steps }, (_, index) => (names.has(`doomed-${index}`) ? 0 : 1));
    },
  },
  'set-default-org': {
    inputs: () => ({}),
    state: 'acme',
    prepare: nothing,
    // The interface does not show the default organization.
    records: (_service, steps) => Promise.resolve(Array.from({ length: steps }, () => 1)),
  },
};

/** The steps of an operation that records attestations of one kind. */
function attestSteps(name: string, state: string | undefined, inputs: Readonly<Record<string, string>>): WritingStep {
  return {
    inputs: (index) => ({
      flow: `${name}-${index % flows}`,
      'attestation-name': `${name}-${index}`,
      ...inputs,
    }),
    state,
    prepare: (service) => each(flows, (index) => saveFlow(service, `${name}-${index}`)),
    async records(service, steps) {
      const lists = await each(flows, (index) =>
        call(service, { path: `/attestations/${service.org}/${name}-${index}?per_page=1000` }),
      );
      const names = lists.flatMap(({ body }) => listAt(body, 'data').map((entry) => textAt(entry, 'attestation_name')));
      return countEach(steps, names, (index) => `${name}-${index}`);
    },
  };
}

/** How often each step's name is in a list. */
function countEach(
  steps: number,
  names: readonly (string | undefined)[],
  nameOf: (index: number) => string,
): readonly number[] {
  return Array.from({ length: steps }, (_, index) => names.filter((name) => name === nameOf(index)).length);
}

/** The file names of all reports of artifacts in a flow. */
async function artifactsOf(service: TestService, flow: string): Promise<readonly (string | undefined)[]> {
  const names: (string | undefined)[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await call(service, {
      path: `/artifacts/${service.org}?flow_name=${flow}&per_page=100&page=${page}`,
    });
    const reports = Array.isArray(body) ? body : [];
    names.push(...reports.map((report) => textAt(report, 'filename')));
    if (reports.length < 100) return names;
  }
}

function each<Result>(steps: number, work: (index: number) => Promise<Result>): Promise<readonly Result[]> {
  return mapConcurrently(
    Array.from({ length: steps }, (_, index) => index),
    16,
    work,
  );
}

/** 1 for each step whose record is found at its path, else 0. */
function found(steps: number, pathOf: (index: number) => string, service: TestService): Promise<readonly number[]> {
  return each(steps, async (index) => Number((await call(service, { path: pathOf(index) })).status === 200));
}

function saveFlow(service: TestService, name: string): Promise<unknown> {
  return saveSampleFlow(service, { name, description: '', template: [] });
}

async function environmentsWith(service: TestService, policy: string): Promise<ReadonlySet<unknown>> {
  const { body } = await call(service, { path: `/policies/${service.org}/${policy}` });
  return new Set(listAt(body, 'consuming_envs'));
}
