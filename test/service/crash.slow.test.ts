import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isMapping, listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.ts';
import {
  attestationForm,
  fingerprintOf,
  sampleArtifact,
  sampleAttestation,
  sampleFlow,
} from '../support/service-samples.ts';

const key = `own1_${'x'.repeat(40)}`;
const writers = 6;
// A crash comes after so many writes were acknowledged, in the middle of those that were not.
const acknowledgedBeforeCrash = 40;

/** What the service acknowledged. */
interface Acknowledged {
  /** The attached content, by the trail that each attestation has for itself. */
  readonly attachments: Map<string, Uint8Array>;
  /** The numbers of the reports, by environment. */
  readonly reports: Map<string, number>;
}

let folder: string;
let running: ServiceProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-crash-'));
});

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended();
  await rm(folder, { recursive: true });
});

async function start(): Promise<ServiceProcess> {
  running = await startServiceProcess(['--port', '0', '--data', folder, '--org', 'acme', '--key', key]);
  return running;
}

interface Request extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(service: ServiceProcess, path: string, init: Request = {}): Promise<Response> {
  return fetch(service.baseUrl + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
}

function send(service: ServiceProcess, method: string, path: string, json: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return ask(service, path, { method, headers, body: JSON.stringify(json) });
}

async function read(service: ServiceProcess, path: string): Promise<unknown> {
  const answer = await ask(service, path);
  const body: unknown = await answer.json();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body;
}

/** A report of one image of its own, so that each makes a snapshot. */
function reportOf(number: number): unknown {
  const digest = number.toString(16).padStart(64, '0');
  return { artifacts: [{ podName: 'web-1', namespace: 'shop', creationTimestamp: 1, digests: { web: digest } }] };
}

async function attestUntilCrash(service: ServiceProcess, writer: number, { attachments }: Acknowledged): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const trail = `trail-${writer}-${turn}`;
    // From far below to above what one write takes.
    const content = randomBytes(1000 + 300_000 * (turn % 3));
    const form = attestationForm(sampleAttestation('OK'), { content, name: `${trail}.bin` });
    const answer = await ask(service, `/attestations/acme/web/trail/${trail}/sonar`, { method: 'POST', body: form });
    await answer.text();
    expect(answer.status).toBe(201);
    attachments.set(trail, content);
  }
}

async function reportUntilCrash(service: ServiceProcess, writer: number, { reports }: Acknowledged): Promise<void> {
  for (let number = 1; ; number += 1) {
    const answer = await send(service, 'PUT', `/environments/acme/env-${writer}/report/K8S`, reportOf(number));
    await answer.text();
    expect(answer.status).toBe(201);
    reports.set(`env-${writer}`, number);
  }
}

/** Writes from many sides, and kills the service while it is written to. */
async function crashUnderWrites(service: ServiceProcess): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { attachments: new Map(), reports: new Map() };
  expect((await send(service, 'PUT', '/flows/acme', sampleFlow())).status).toBe(201);
  const numbers = Array.from({ length: writers }, (_, index) => index);
  for (const writer of numbers) {
    await send(service, 'PUT', '/environments/acme', { name: `env-${writer}`, type: 'K8S' });
  }
  const writing = numbers.flatMap((writer) => [
    attestUntilCrash(service, writer, acknowledged),
    reportUntilCrash(service, writer, acknowledged),
  ]);
  const crash = async (): Promise<void> => {
    while (acknowledged.attachments.size < acknowledgedBeforeCrash) await new Promise(setImmediate);
    service.child.kill('SIGKILL');
  };
  const [, ...ended] = await Promise.allSettled([crash(), ...writing]);
  // Every writer ended because the connection broke, and for no other reason.
  const reasons = ended.map((each) => (each.status === 'rejected' ? String(each.reason) : 'it did not end'));
  expect(reasons).toEqual(reasons.map(() => expect.stringMatching(/^TypeError: (?:fetch failed|terminated)$/u)));
  await service.ended();
  return acknowledged;
}

/** The content that the service keeps for the attestation of a trail. */
async function attachmentOf(service: ServiceProcess, trail: string, fingerprint: string): Promise<Uint8Array> {
  const report = sampleArtifact({ fingerprint, trail_name: trail });
  expect((await send(service, 'POST', '/artifacts/acme/web', report)).status).toBe(201);
  const artifact = await read(service, `/artifacts/acme/web/fingerprint/${fingerprint}?trail=${trail}`);
  const page = textAt(artifact, 'evidence', 'sonar', 'html_url');
  if (page === undefined) throw new Error(`the attestation of ${trail} is lost`);
  const path = new URL(page).pathname;
  const answer = await fetch(new URL(`${path}/attachment`, service.baseUrl), {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  return answer.bytes();
}

async function everyAttestation(service: ServiceProcess): Promise<readonly unknown[]> {
  return listAt(await read(service, '/attestations/acme/web?per_page=1000'), 'data');
}

describe('a service that is killed under concurrent writes', () => {
  it('has every write that it acknowledged after its next start, and nothing by halves', async () => {
    const { attachments, reports } = await crashUnderWrites(await start());
    const service = await start();

    const kept = await everyAttestation(service);
    // What was written but not acknowledged may be there: at most the one that each writer was waiting for.
    expect(kept.length).toBeGreaterThanOrEqual(attachments.size);
    expect(kept.length).toBeLessThanOrEqual(attachments.size + writers);
    expect(kept.filter((each) => valueAt(each, 'has_audit_package') !== true)).toEqual([]);
    const trails = [...attachments].map(async ([trail, content], index) => {
      const found = await attachmentOf(service, trail, fingerprintOf(`${index}f`.padStart(8, '0')));
      expect(Buffer.compare(found, content)).toBe(0);
    });
    await Promise.all(trails);

    for (const [environment, acknowledged] of reports) {
      const snapshots = await read(service, `/snapshots/acme/${environment}?per_page=1000&reverse=true`);
      const indices = (Array.isArray(snapshots) ? snapshots : []).map((each) => valueAt(each, 'index'));
      expect(indices).toEqual(indices.map((_, position) => position + 1));
      expect([acknowledged, acknowledged + 1]).toContain(indices.length);
      const same = `${environment}%23${acknowledged}`;
      const difference = await read(service, `/env-diff/acme?snappish1=${same}&snappish2=${same}`);
      const [artifact] = listAt(valueAt(difference, 'not-changed'), 'artifacts');
      expect(isMapping(artifact) ? artifact['fingerprint'] : undefined).toBe(
        acknowledged.toString(16).padStart(64, '0'),
      );
    }
  });

  it('keeps no file after its next start that is not whole, and none in place that no attestation names', async () => {
    await crashUnderWrites(await start());
    const service = await start();
    const files = (await readdir(join(folder, 'attachments'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    );
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name));
      expect(createHash('sha256').update(content).digest('hex')).toBe(name);
      expect(basename(parentPath)).toMatch(new RegExp(`^(?:${name.slice(0, 2)}|\\d{4}-\\d\\d-\\d\\d)$`, 'u'));
    }
    // Each attestation has content of its own. What was kept for one that was not recorded is in the trash.
    const inPlace = files.filter(({ parentPath }) => basename(dirname(parentPath)) === 'content');
    expect(inPlace).toHaveLength((await everyAttestation(service)).length);
    expect(files.length).toBeLessThanOrEqual(inPlace.length + writers);
  });

  it('has one record for each key after every unanswered request was sent again', async () => {
    const service = await start();
    expect((await send(service, 'PUT', '/flows/acme', sampleFlow())).status).toBe(201);
    const keys = Array.from({ length: 200 }, (_, index) => `key-${index}`);
    const attest = async (to: ServiceProcess, name: string): Promise<Response> => {
      const form = attestationForm(sampleAttestation('OK'), { content: `the file of ${name}` });
      const headers = { 'idempotency-key': `"${name}"` };
      const answer = await ask(to, `/attestations/acme/web/trail/${name}/sonar`, {
        method: 'POST',
        body: form,
        headers,
      });
      await answer.text();
      return answer;
    };
    const acknowledged = new Set<string>();
    const attempts = keys.map(async (name) => {
      await attest(service, name);
      acknowledged.add(name);
    });
    const crash = async (): Promise<void> => {
      // While most files wait for their records.
      while (acknowledged.size === 0) await new Promise(setImmediate);
      service.child.kill('SIGKILL');
    };
    await Promise.allSettled([crash(), ...attempts]);
    await service.ended();
    expect(acknowledged.size).toBeLessThan(keys.length);

    const restarted = await start();
    const recorded = await everyAttestation(restarted);
    for (const name of keys) {
      const answer = await attest(restarted, name);
      const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
      expect([name, answer.status, isReplayed]).toEqual([name, 201, acknowledged.has(name) || isReplayed]);
    }
    expect(recorded.length).toBeGreaterThanOrEqual(acknowledged.size);
    expect(await everyAttestation(restarted)).toHaveLength(keys.length);
  });
});
