import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toAcceptedSchema } from '../../src/contract/accepted-response.ts';
import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import { conforms } from '../../src/contract/check.ts';
import { type Endpoint, filePartName, type MultipartBody, operationNames } from '../../src/contract/endpoint.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';
import { root } from '../support/repository.ts';

/** Every operation of the interface, as its headings number them. */
const interfaceOperations = [
  'PUT /flows/{org}',
  'PUT /environments/{org}',
  'PUT /environments/{org}/{env_name}/report/K8S',
  'POST /environments/{org}/{env_name}/policies',
  'DELETE /environments/{org}/{env_name}/policies',
  'PUT /policies/{org}',
  'POST /attestations/{org}/{flow_name}/trail/{trail_name}/sonar',
  'GET /organizations/{org}/environments_notifications/{notification_number}',
  'GET /attestations/{org}/{flow_name}',
  'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}',
  'GET /env-diff/{org}',
  'GET /snapshots/{org}/{env_name}',
  'GET /service-accounts/{org}',
  'GET /service-accounts/{org}/{name}',
  'DELETE /service-accounts/{org}/{name}',
  'PUT /user/{org}',
];

const all: readonly Endpoint[] = apiEndpoints;
const byTitle = all.map((endpoint): [string, Endpoint] => [endpoint.title, endpoint]);
const multipart = all.flatMap((endpoint): [string, MultipartBody][] =>
  endpoint.body.kind === 'multipart' ? [[endpoint.title, endpoint.body]] : [],
);

describe('the endpoints', () => {
  it('are those of the interface, by method, path, name and number', () => {
    expect(interfaceEndpoints.map(({ method, path }) => `${method} ${path}`)).toEqual(interfaceOperations);
    expect(interfaceEndpoints.map(({ operation }) => operation)).toEqual(operationNames);
    expect(interfaceEndpoints.map(({ number }) => number)).toEqual(operationNames.map((_, index) => index + 1));
  });

  it('are those that the modules of the contract export', async () => {
    const folder = join(root, 'src/contract');
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    const modules = await Promise.all(files.map((file): Promise<object> => import(join(folder, file))));
    const exported = modules.flatMap((module): unknown[] => Object.values(module));
    const declared = exported.filter((value) => valueAt(value, 'repetition') !== undefined);
    expect(declared.filter((value) => !all.some((endpoint) => endpoint === value))).toEqual([]);
  });

  it('differ in title, and in method and path', () => {
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(all.length);
  });

  it('take bearer keys everywhere and basic ones for the flow only', () => {
    for (const endpoint of all) {
      expect(endpoint.authentication).toEqual(endpoint === createFlow ? ['bearer', 'basic'] : ['bearer']);
    }
  });

  it('mark the flow as deprecated', () => {
    expect(createFlow.deprecated).toMatch(/deprecated/u);
  });
});

describe.each(byTitle)('%s', (_title, endpoint) => {
  it('declares exactly the parameters of its path, all required', () => {
    const braces = [...endpoint.path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
    expect(Object.keys(endpoint.parameters.properties).toSorted()).toEqual(braces.toSorted());
    // The schema has no list if the path has no parameters.
    const required = Object.hasOwn(endpoint.parameters, 'required') ? endpoint.parameters.required : [];
    expect([...required].toSorted()).toEqual(braces.toSorted());
  });

  it('says what repeating a request does, and nothing that its method contradicts', () => {
    const { method, repetition } = endpoint;
    // A preview only reads, but sends a file.
    expect(repetition.effect === 'safe').toBe(method === 'GET' || endpoint.path.endsWith('/preview'));
    if (repetition.effect === 'appends') expect(repetition.remedy).toMatch(/\.$/u);
  });

  it('has a path of whole segments', () => {
    expect(endpoint.path).toMatch(/^(?:\/(?:[\w-]+|\{\w+\}))+$/u);
  });

  it('takes no parameter that would not be one segment', () => {
    for (const schema of Object.values(endpoint.parameters.properties)) {
      expect(['', '.', '..', 'a/b', '/', 'a?b', 'a#b', 'a\n', '../x'].filter((text) => conforms(schema, text))).toEqual(
        [],
      );
    }
  });

  it('takes no unknown query parameter', () => {
    expect(conforms(endpoint.query, { unknown: 'x' })).toBe(false);
  });

  it('declares the success statuses 200 or 201, each once', () => {
    const statuses = endpoint.success.map(({ status }) => status);
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses).size).toBe(statuses.length);
  });

  it('declares the errors that every operation has, each once, with words', () => {
    expect(endpoint.errors.map(({ status }) => status)).toEqual(expect.arrayContaining([400, 401, 403]));
    const errors = endpoint.errors.map(({ status, message }) => `${status} ${message}`);
    expect(new Set(errors).size).toBe(errors.length);
    for (const { status, message, when } of endpoint.errors) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message.trim()).not.toBe('');
      expect(when).toMatch(/\.$/u);
    }
  });
});

describe.each(multipart)('the upload of %s', (_title, body) => {
  it('names its file part as the interface does, or as the public client does', () => {
    expect(filePartName(body, 'indexed')).toBe(`${body.file.part}.0`);
    expect(filePartName(body, 'plain')).toBe(body.file.part);
    expect(body.file.part).toMatch(/^(?:(?:attachment|policy|template)_file|type_schema)$/u);
  });

  it('is bounded, in the words of the interface at 10 MiB', () => {
    expect(body.file.tooLarge.status).toBe(413);
    if (body.file.part === 'template_file') {
      expect(body.file.maximumBytes).toBe(262_144);
    } else {
      expect(body.file.maximumBytes).toBe(10_485_760);
      expect(body.file.tooLarge.message).toBe('File size exceeds 10MB limit');
    }
  });

  it('has a JSON part of another name', () => {
    expect([`${body.file.part}.0`, body.file.part]).not.toContain(body.json.part);
  });
});

describe('the flow as it is created', () => {
  const flow = { name: 'web', description: 'The shop', template: ['unit', 'sonar,artifact'] };

  it.each([
    flow,
    { ...flow, template: [] },
    { ...flow, visibility: 'public', repo_url: 'https://github.com/acme/web' },
    { ...flow, visibility: null, repo_url: null },
  ])('may be %j', (payload) => {
    expect(conforms(createFlow.body.schema, payload)).toBe(true);
  });

  it.each([
    { ...flow, name: '-web' },
    { ...flow, name: 'a b' },
    { ...flow, template: ['a b'] },
    { ...flow, template: 'unit' },
    { ...flow, visibility: 'secret' },
    { ...flow, description: null },
    { ...flow, unknown: 1 },
    { name: 'web' },
  ])('may not be %j', (payload) => {
    expect(conforms(createFlow.body.schema, payload)).toBe(false);
  });
});

describe('the Sonar attestation', () => {
  const schema = attestSonar.body.json.schema;
  const condition = { metric: 'new_coverage', operator: 'LT', errorThreshold: '85', status: 'ERROR' };
  const attestation = {
    attestation_name: 'sonar',
    git_commit_info: {
      sha1: 'a'.repeat(40),
      author: 'Ann Dev <ann@example.com>',
      branch: 'main',
      message: 'feat: first\n\nbody line',
      timestamp: 1_767_323_045,
      url: 'https://github.com/acme/web/commit/a',
    },
    sonar_results: {
      analysedAt: '2026-01-02T03:04:05+0000',
      revision: 'a'.repeat(40),
      project: { key: 'acme_web', name: 'web', url: 'https://sonar.example.com/dashboard?id=acme_web' },
      qualityGate: { name: 'Sonar way', status: 'ERROR', conditions: [condition] },
    },
    user_data: { any: ['thing'] },
  };

  it('takes all that the interface shows', () => {
    expect(conforms(schema, attestation)).toBe(true);
  });

  it('takes a condition without a threshold, and further keys of Sonar', () => {
    const results = {
      ...attestation.sonar_results,
      changedAt: 'x',
      qualityGate: { status: 'OK', conditions: [{ metric: 'reopened_issues', status: 'OK' }] },
    };
    expect(conforms(schema, { ...attestation, sonar_results: results })).toBe(true);
  });

  it('takes an empty gate, and no attestation without one', () => {
    const { project } = attestation.sonar_results;
    const none = { project, qualityGate: { status: 'NONE', conditions: [] } };
    expect(conforms(schema, { ...attestation, sonar_results: none })).toBe(true);
    expect(conforms(schema, { ...attestation, sonar_results: { project } })).toBe(false);
  });

  it('takes a timestamp in whole seconds only', () => {
    const commit = { ...attestation.git_commit_info, timestamp: 1.5 };
    expect(conforms(schema, { ...attestation, git_commit_info: commit })).toBe(false);
  });
});

describe('the artifact as it is returned', () => {
  const answered = getArtifact.success[0].schema;

  it('requires only its fingerprint', () => {
    expect(conforms(answered, { fingerprint: 'a'.repeat(64) })).toBe(true);
    expect(conforms(answered, { fingerprint: 'a'.repeat(63) })).toBe(false);
    expect(conforms(answered, {})).toBe(false);
  });

  it('may contain any user data, and unknown fields', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const artifact = { fingerprint: 'a'.repeat(64), state: 'COMPLIANT', user_data: data, new_field: data };
        expect(conforms(answered, artifact)).toBe(true);
      }),
    );
  });

  it('may have timestamps that are numeric strings or numbers', () => {
    for (const created of ['1767323045', '1767323045.25', 1_767_323_045.25]) {
      expect(conforms(toAcceptedSchema(answered), { fingerprint: 'a'.repeat(64), created_at: created })).toBe(true);
    }
  });
});
