import { expect } from '@jest/globals';
import fc from 'fast-check';
import { listAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { TestService } from '../support/service.ts';
import { type Call, call, type Called } from '../support/service-call.ts';
import { attestationForm, fingerprintOf, sampleArtifact, sampleAttestation } from '../support/service-samples.ts';
import { modelPolicies, type ModelPolicy, type ServiceModel } from './service-model.ts';

/** An organization of a running service. */
export interface SystemUnderTest {
  readonly service: TestService;
  readonly org: string;
  /** A key with the role admin. */
  readonly key: string;
}

type Command = fc.AsyncCommand<ServiceModel, SystemUnderTest>;

/** A request to the model and to the service. Their results must be equal. */
interface Exchange {
  readonly words: string;
  readonly model: (model: ServiceModel) => unknown;
  readonly request: (org: string) => Call;
  /** The part of a successful response to compare. Default: its status. */
  readonly compared?: (answer: Called) => unknown;
}

function commandOf({ words, model: answerOf, request, compared }: Exchange): Command {
  return {
    check: () => true,
    toString: () => words,
    async run(model, { service, org, key }) {
      const expected = answerOf(model);
      const answer = await call(service, { key, ...request(org) });
      const isWhole = compared !== undefined && answer.status === 200;
      expect([words, isWhole ? compared(answer) : answer.status]).toEqual([words, expected]);
    },
  };
}

// Few of each, so that most requests are about something that exists.
const flow = fc.constantFrom('web', 'api');
const trail = fc.constantFrom('t1', 't2');
const fingerprint = fc.constantFrom(...['a1', 'b2', 'c3'].map(fingerprintOf));
const environment = fc.constantFrom('prod', 'test');
const policies = fc.uniqueArray(fc.constantFrom(...modelPolicies), { minLength: 1 });
const template = fc.uniqueArray(fc.constantFrom('artifact', 'sonar', 'lint'), { maxLength: 3 });
const page = fc.record({ page: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 4 }) });
const number = fc.integer({ min: 1, max: 6 });

const policyTexts: Readonly<Record<ModelPolicy, string>> = {
  known: '_schema: https://compliance.example.com/v1\nartifacts:\n  provenance:\n    required: true\n',
  trails: '_schema: https://compliance.example.com/v1\nartifacts:\n  trail-compliance:\n    required: true\n',
};

const saveFlow = fc.record({ flow, template }).map(({ flow: name, template: items }) =>
  commandOf({
    words: `create-flow ${name} [${items.join()}]`,
    model: (model) => model.saveFlow(name, items),
    request: (org) => ({ method: 'PUT', path: `/flows/${org}`, json: { name, description: '', template: items } }),
  }),
);

const reportArtifact = fc.record({ flow, fingerprint, trail }).map((given) =>
  commandOf({
    words: `attest artifact ${given.fingerprint.slice(0, 2)} to ${given.flow}/${given.trail}`,
    model: (model) => model.reportArtifact(given.flow, given.fingerprint, given.trail),
    request: (org) => ({
      method: 'POST',
      path: `/artifacts/${org}/${given.flow}`,
      json: sampleArtifact({ fingerprint: given.fingerprint, trail_name: given.trail }),
    }),
  }),
);

const attest = fc
  .record({ flow, trail, name: fc.constantFrom('sonar', 'lint'), compliant: fc.boolean() })
  .map(({ flow: flowName, trail: trailName, name, compliant }) =>
    commandOf({
      words: `attest-sonar ${name} ${compliant} to ${flowName}/${trailName}`,
      model: (model) => model.attest(flowName, trailName, name, compliant),
      request: (org) => ({
        method: 'POST',
        path: `/attestations/${org}/${flowName}/trail/${trailName}/sonar`,
        form: attestationForm(sampleAttestation(compliant ? 'OK' : 'ERROR', { attestation_name: name })),
      }),
    }),
  );

const getArtifact = fc.record({ flow, fingerprint }).map((given) =>
  commandOf({
    words: `get-artifact ${given.fingerprint.slice(0, 2)} of ${given.flow}`,
    model: (model) => model.artifact(given.flow, given.fingerprint),
    request: (org) => ({ path: `/artifacts/${org}/${given.flow}/fingerprint/${given.fingerprint}` }),
    compared: ({ body }) => valueAt(body, 'state'),
  }),
);

const listAttestations = fc.record({ flow, page }).map(({ flow: name, page: wanted }) =>
  commandOf({
    words: `list-attestations ${name}, page ${wanted.page} of ${wanted.size}`,
    model: (model) => model.attestations(name, wanted.page, wanted.size),
    request: (org) => ({ path: `/attestations/${org}/${name}?page=${wanted.page}&per_page=${wanted.size}` }),
    compared: ({ body }) => ({
      total: valueAt(body, 'pagination', 'total'),
      page: listAt(body, 'data').map(
        (each) => `${String(valueAt(each, 'attestation_name'))} ${String(valueAt(each, 'is_compliant'))}`,
      ),
    }),
  }),
);

const saveEnvironment = environment.map((name) =>
  commandOf({
    words: `create-environment ${name}`,
    model: (model) => model.saveEnvironment(name),
    request: (org) => ({ method: 'PUT', path: `/environments/${org}`, json: { name, type: 'K8S' } }),
  }),
);

const report = fc
  .record({ name: environment, running: fc.array(fingerprint, { maxLength: 3 }) })
  .map(({ name, running }) =>
    commandOf({
      words: `report-k8s ${name} [${running.map((each) => each.slice(0, 2)).join()}]`,
      model: (model) => model.report(name, running),
      request: (org) => ({
        method: 'PUT',
        path: `/environments/${org}/${name}/report/K8S`,
        json: {
          artifacts: running.map((digest, index) => ({
            podName: `pod-${index}`,
            namespace: 'shop',
            creationTimestamp: 1,
            digests: { image: digest },
          })),
        },
      }),
    }),
  );

const savePolicy = fc.constantFrom(...modelPolicies).map((name) =>
  commandOf({
    words: `create-policy ${name}`,
    model: (model) => model.savePolicy(name),
    request: (org) => {
      const form = new FormData();
      form.set('payload', JSON.stringify({ name }));
      form.set('policy_file.0', new Blob([policyTexts[name]]), 'policy.yaml');
      return { method: 'PUT', path: `/policies/${org}`, form };
    },
    compared: ({ status }) => status,
  }),
);

function policyChange(method: 'POST' | 'DELETE'): fc.Arbitrary<Command> {
  return fc.record({ name: environment, named: policies }).map(({ name, named }) =>
    commandOf({
      words: `${method === 'POST' ? 'attach' : 'detach'}-policy ${named.join()}, ${name}`,
      model: (model) => (method === 'POST' ? model.attach(name, named) : model.detach(name, named)),
      request: (org) => ({ method, path: `/environments/${org}/${name}/policies`, json: { policy_names: named } }),
      compared: ({ status }) => status,
    }),
  );
}

const listSnapshots = fc
  .record({ name: environment, wanted: page, reverse: fc.boolean() })
  .map(({ name, wanted: { page: at, size }, reverse }) =>
    commandOf({
      words: `list-snapshots ${name}, page ${at} of ${size}${reverse ? ', reversed' : ''}`,
      model: (model) => model.snapshots(name, at, size, reverse),
      request: (org) => ({ path: `/snapshots/${org}/${name}?page=${at}&per_page=${size}&reverse=${reverse}` }),
      compared: ({ body }) =>
        (Array.isArray(body) ? body : [body]).map(
          (each) =>
            `${String(valueAt(each, 'index'))} ${String(valueAt(each, 'judged') === false ? null : valueAt(each, 'compliant'))}`,
        ),
    }),
  );

const diff = fc.record({ name: environment, first: number, second: number }).map(({ name, first, second }) =>
  commandOf({
    words: `diff-environments ${name}#${first} ${name}#${second}`,
    model: (model) => model.difference(name, first, second),
    request: (org) => ({ path: `/env-diff/${org}?snappish1=${name}%23${first}&snappish2=${name}%23${second}` }),
    compared: ({ body }) => ({ first: fingerprintsOf(body, 'snappish1'), second: fingerprintsOf(body, 'snappish2') }),
  }),
);

function fingerprintsOf(body: unknown, part: string): readonly string[] {
  return listAt(body, part, 'artifacts')
    .map((artifact) => String(valueAt(artifact, 'fingerprint')))
    .sort();
}

/** The requests of a random sequence, with the results of the model. */
export const modelCommands: readonly fc.Arbitrary<Command>[] = [
  saveFlow,
  reportArtifact,
  attest,
  getArtifact,
  listAttestations,
  saveEnvironment,
  report,
  savePolicy,
  policyChange('POST'),
  policyChange('DELETE'),
  listSnapshots,
  diff,
];
