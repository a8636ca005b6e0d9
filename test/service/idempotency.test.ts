import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maximumTemplateNames } from '../../src/contract/limits.ts';
import { listAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { saveMember } from '../support/administration.ts';
import { policyForm, provenancePolicy, saveEnvironment } from '../support/environment-samples.ts';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { prepareOrganization } from '../support/prepare-organization.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Call, call, type Called } from '../support/service-call.ts';
import {
  attestationForm,
  report,
  sampleArtifact,
  sampleAttestation,
  sampleFlow,
  saveFlow,
} from '../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../support/test-storage.ts';

const day = 24 * 60 * 60 * 1000;
let now = Date.now();
let service: TestService;
let storage: TestStorage;

beforeEach(async () => {
  now = Date.now();
  storage = await createTestStorage();
  service = await start();
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
  await storage.remove();
});

const start = (): Promise<TestService> => startTestService({ storage, sources: { now: () => now } });

function send(request: Call, key: string): Promise<Called> {
  return call(service, { ...request, headers: { ...request.headers, 'idempotency-key': `"${key}"` } });
}

const isSuperseded = ({ headers }: Called): boolean => headers.get('idempotent-superseded') === 'true';
const isReplay = ({ headers }: Called): boolean => headers.get('idempotent-replayed') === 'true';

interface Change {
  readonly status?: string;
  readonly attempt?: number;
  readonly file?: string;
  readonly filename?: string;
  readonly trail?: string;
}

function attestation(change: Change = {}): Call {
  const { status = 'OK', attempt = 1, file = 'a file', filename = 'report.xml', trail = 'main' } = change;
  const document = sampleAttestation(status, {
    user_data: { github: { run_attempt: attempt } },
    origin_url: `https://ci.example.com/attempts/${attempt}`,
  });
  const form = attestationForm(document, { content: file, name: filename });
  return { method: 'POST', path: `/attestations/${service.org}/web/trail/${trail}/sonar`, form };
}

function policyUpload(comment: string, org = service.org): Call {
  const payload = { name: 'strict', description: `Description ${comment}`, comment, type: 'env' };
  return { method: 'PUT', path: `/policies/${org}`, form: policyForm(payload, { content: provenancePolicy }) };
}

async function countAttestations(org = service.org, key = service.apiKey): Promise<number> {
  const { body } = await call(service, { path: `/attestations/${org}/web?per_page=1000`, key });
  return listAt(body, 'data').length;
}

/** Every row of the database, but for the times at which keys were used. */
const allRows = (): Promise<unknown> => storage.readRecords();

const writes = everyEndpoint.filter(({ endpoint }) => endpoint.repetition.effect !== 'safe');

describe('a request with a key that was used for the same content', () => {
  it('gets the first answer, and changes nothing, whatever the endpoint and whatever happened since', async () => {
    await prepareOrganization(service);
    const first = new Map<string, Called>();
    // All kinds of attestations share their keys.
    const keyFor = (write: (typeof writes)[number]): string => `the-key-${writes.indexOf(write)}`;
    const repeat = async ({ endpoint, request }: (typeof writes)[number], key: string): Promise<void> => {
      now += 1000;
      const again = await send(request(service.org), key);
      expect([endpoint.title, again.status, again.text, isReplay(again)]).toEqual([
        ...[endpoint.title, first.get(endpoint.title)?.status, first.get(endpoint.title)?.text, true],
      ]);
    };
    // As text, because comparing the values takes long.
    const everything = async (): Promise<string> =>
      JSON.stringify([await allRows(), await service.storage.listAttachments()], undefined, 1);
    for (const write of writes) {
      const answer = await send(write.request(service.org), keyFor(write));
      expect([write.endpoint.title, answer.status < 300, isReplay(answer)]).toEqual([
        write.endpoint.title,
        true,
        false,
      ]);
      first.set(write.endpoint.title, answer);
      const before = await everything();
      await repeat(write, keyFor(write));
      expect(`${write.endpoint.title} ${await everything()}`).toBe(`${write.endpoint.title} ${before}`);
    }
    const before = await everything();
    for (const write of writes) await repeat(write, keyFor(write));
    expect(await everything()).toBe(before);
  });

  it('may come from a re-run with another attempt', async () => {
    await saveFlow(service);
    expect((await send(attestation(), 'one')).status).toBe(201);
    expect(isReplay(await send(attestation({ attempt: 2 }), 'one'))).toBe(true);
    expect(await countAttestations()).toBe(1);
  });

  it.each<[string, (content: string) => Call]>([
    ['attestation of the name', (status) => attestation({ status })],
    ['version of the policy', policyUpload],
  ])('is told if another %s is the latest', async (_record, request) => {
    await saveFlow(service);
    const keys = ['OK', 'ERROR', 'OK', 'ERROR', 'WARN', 'ERROR'];
    const answers: unknown[] = [];
    for (const key of keys) {
      const answer = await send(request(key), key);
      answers.push([isReplay(answer), isSuperseded(answer)]);
    }
    const [created, current, superseded] = [
      [false, false],
      [true, false],
      [true, true],
    ];
    expect(answers).toEqual([created, created, superseded, current, created, superseded]);
  });

  it('is answered after a restart, and for records after any time', async () => {
    await saveFlow(service);
    await send(attestation(), 'one');
    await send(policyUpload('first'), 'two');
    const flow: Call = { method: 'PUT', path: '/flows/acme', json: sampleFlow({ name: 'api' }) };
    expect((await send(flow, 'three')).status).toBe(201);
    await service.stop();
    now += 34 * day;
    service = await start();
    for (const [request, key] of [
      [attestation(), 'one'],
      [policyUpload('first'), 'two'],
      [flow, 'three'],
    ] as const) {
      expect([key, isReplay(await send(request, key))]).toEqual([key, true]);
    }
    now += 2 * day;
    const again = await send(flow, 'three');
    expect([again.status, isReplay(again)]).toEqual([200, false]);
    now += 300 * day;
    expect(isReplay(await send(attestation(), 'one'))).toBe(true);
  });
});

describe('a request with a key that was used for other content', () => {
  it.each<[string, Change]>([
    ['document', { status: 'ERROR' }],
    ['file', { file: 'another file' }],
    ['file name', { filename: 'other.xml' }],
    ['path', { trail: 'other' }],
  ])('is rejected if the %s differs, and leaves nothing behind', async (_part, change) => {
    await saveFlow(service);
    await send(attestation(), 'one');
    const before = [await allRows(), await service.storage.listAttachments()];
    const rejected = await send(attestation(change), 'one');
    expect(rejected.status).toBe(422);
    expect(valueAt(rejected.body, 'errors', 'idempotency-key')).toMatch(/other content/u);
    expect([await allRows(), await service.storage.listAttachments()]).toEqual(before);
  });

  it('is rejected for writes that set a state, too', async () => {
    const flow = (description: string): Call => ({
      method: 'PUT',
      path: '/flows/acme',
      json: sampleFlow({ description }),
    });
    expect((await send(flow('one'), 'key')).status).toBe(201);
    expect((await send(flow('two'), 'key')).status).toBe(422);
    expect(valueAt((await call(service, { path: '/flows/acme/web' })).body, 'description')).toBe('one');
    expect((await send(policyUpload('one'), 'key')).status).toBe(201);
    expect((await send(policyUpload('two'), 'key')).status).toBe(422);
  });
});

describe('a key', () => {
  it('can be used again if its request was an error', async () => {
    expect((await send(attestation(), 'one')).status).toBe(404);
    await saveFlow(service);
    expect((await send(attestation(), 'one')).status).toBe(201);
    expect(await service.storage.listAttachments()).toHaveLength(1);
    const path = '/flows/acme';
    const template = Array.from({ length: maximumTemplateNames + 1 }, (_, index) => `n${index}`).join(',');
    const refused = sampleFlow({ template: [template] });
    expect((await send({ method: 'PUT', path, json: refused }, 'two')).status).toBe(400);
    expect((await send({ method: 'PUT', path, json: sampleFlow() }, 'two')).status).toBe(200);
  });

  it('belongs to an organization and an endpoint', async () => {
    const other = await service.createOrganization('other');
    const flow = (org: string): Call => ({
      method: 'PUT',
      path: `/flows/${org}`,
      json: sampleFlow(),
    });
    expect((await send(flow('acme'), 'one')).status).toBe(201);
    expect((await send({ ...flow('other'), key: other }, 'one')).status).toBe(201);
    for (const [org, key] of [
      ['acme', service.apiKey],
      ['other', other],
    ] as const) {
      const sent = { ...attestation(), path: `/attestations/${org}/web/trail/main/sonar`, key };
      expect([(await send(sent, 'one')).status, await countAttestations(org, key)]).toEqual([201, 1]);
      const upload = { ...policyUpload(`of ${org}`, org), key };
      const created = await send(upload, 'one');
      expect(created).toMatchObject({ status: 201, body: { events: [{ data: { version: 1 } }] } });
      await send({ ...policyUpload('another', org), key }, 'two');
      await saveEnvironment(service, 'prod', { policies: ['strict'] });
      expect((await send(upload, 'one')).text).toBe(created.text);
    }
  });

  it('belongs to its sender, so that nobody else can use it up', async () => {
    const [admin, member] = [await service.createKey('admin'), await service.createKey('member')];
    await saveFlow(service);
    const requests: readonly Call[] = [
      { method: 'PUT', path: '/user/acme' },
      { method: 'PUT', path: '/flows/acme', json: sampleFlow() },
      { method: 'POST', path: '/artifacts/acme/web', json: sampleArtifact() },
      attestation(),
      policyUpload('first'),
    ];
    for (const request of requests) {
      const sendAs = async (key: string): Promise<readonly [boolean, boolean]> => {
        const answer = await send({ ...request, key }, 'one');
        return [answer.status < 300, isReplay(answer)];
      };
      expect([request.path, await sendAs(admin)]).toEqual([request.path, [true, false]]);
      expect([request.path, await sendAs(member)]).toEqual([request.path, [true, false]]);
      expect([request.path, await sendAs(admin)]).toEqual([request.path, [true, true]]);
    }
  });

  it('belongs to a flow or an environment', async () => {
    const answers: (readonly [number, boolean])[] = [];
    for (const name of ['web', 'api']) {
      await call(service, { method: 'PUT', path: '/flows/acme', json: { ...sampleFlow(), name } });
      await saveEnvironment(service, name);
      const sent = [
        { ...attestation(), path: `/attestations/acme/${name}/trail/main/sonar` },
        { method: 'PUT', path: `/environments/acme/${name}/report/K8S`, json: { artifacts: [] } },
      ] as const;
      for (const request of sent) {
        const answer = await send(request, 'one');
        answers.push([answer.status, isReplay(answer)]);
      }
    }
    expect(answers).toEqual(Array.from({ length: 4 }, () => [201, false]));
  });

  it('opens nothing: a caller without the permission gets no answer', async () => {
    await saveFlow(service);
    const key = await service.createKey('member');
    const upload = { ...policyUpload('first'), key };
    expect((await send(upload, 'one')).status).toBe(201);
    expect((await send({ ...upload, key: null }, 'one')).status).toBe(401);
    const environment: Call = {
      ...{ method: 'PUT', path: '/environments/acme', key },
      json: { name: 'prod', type: 'K8S', policies: ['strict'] },
    };
    expect((await send(environment, 'one')).status).toBe(201);
    for (const role of ['snapshotter', 'reader']) {
      await saveMember(service, 'member-of-acme', role);
      expect((await send({ ...policyUpload('first'), key }, 'one')).status).toBe(403);
      expect((await send(environment, 'one')).status).toBe(403);
    }
  });

  it('is rejected if it is malformed, before anything else but the authentication', async () => {
    const request: Call = {
      method: 'PUT',
      path: '/flows/acme',
      body: 'no JSON',
      headers: { 'idempotency-key': 'a b' },
    };
    const { status, body } = await call(service, request);
    expect([status, Object.keys(valueAt(body, 'errors') as object)]).toEqual([400, ['idempotency-key']]);
    expect((await call(service, { ...request, key: null })).status).toBe(401);
  });

  it('is ignored by requests that read, and by the admin API', async () => {
    const headers = { 'idempotency-key': 'not a key' };
    expect((await call(service, { path: '/service-accounts/acme', headers })).status).toBe(200);
    const create = (): Promise<Called> =>
      call(service, {
        ...{ method: 'POST', at: service.adminUrl, path: '/organizations', key: service.adminKey },
        ...{ json: { name: 'new' }, headers: { 'idempotency-key': '"one"' } },
      });
    expect([(await create()).status, (await create()).status]).toEqual([201, 409]);
  });
});

describe('requests with the same key at once', () => {
  it('record one attestation; the others get its answer, or are told to try again', async () => {
    await saveFlow(service);
    await report(service);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(attestation(), 'one')));
    const outcomes = answers.map((answer) => (answer.status === 201 && isReplay(answer) ? 'replay' : answer.status));
    expect(outcomes.filter((outcome) => outcome === 201)).toHaveLength(1);
    expect(outcomes.filter((outcome) => ![201, 409, 'replay'].includes(outcome))).toEqual([]);
    for (const { status, headers } of answers) expect(headers.get('retry-after')).toBe(status === 409 ? '1' : null);
    expect(await countAttestations()).toBe(1);
    expect(await service.storage.listAttachments()).toHaveLength(1);
  });

  it('make exactly one record for each key, in any interleaving', async () => {
    const batches = fc.array(
      fc.array(
        fc.record({
          kind: fc.constantFrom('attestation', 'policy'),
          key: fc.integer({ min: 0, max: 2 }),
          other: fc.boolean(),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      { minLength: 1, maxLength: 4 },
    );
    let runs = 0;
    await saveFlow(service);
    await fc.assert(
      fc.asyncProperty(batches, async (requests) => {
        runs += 1;
        const before = await countAttestations();
        const created = new Set<string>();
        for (const batch of requests) {
          await Promise.all(
            batch.map(async ({ kind, key, other }) => {
              const name = `${kind}-${runs}-${key}`;
              const content = other ? 'two' : 'one';
              const request = kind === 'policy' ? policyUpload(content) : attestation({ file: content });
              const answer = await send(request, name);
              expect([200, 201, 409, 422]).toContain(answer.status);
              if (answer.status >= 300 || isReplay(answer)) return;
              expect([name, created.has(name)]).toEqual([name, false]);
              created.add(name);
            }),
          );
        }
        const sent = new Set(requests.flat().map(({ kind, key }) => `${kind}-${runs}-${key}`));
        expect(created).toEqual(sent);
        const attested = [...sent].filter((name) => name.startsWith('attestation'));
        expect(await countAttestations()).toBe(before + attested.length);
      }),
      { numRuns: 15 },
    );
    const { body } = await call(service, { path: '/policies/acme/strict' });
    const rows = JSON.stringify(await allRows()).match(/"idempotency_key":"policy-\d+-\d [\w-]{22}"/gu) ?? [];
    expect([new Set(rows).size, listAt(body, 'versions').length]).toEqual([rows.length, rows.length]);
  });
});
