import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { isMapping, listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { attestationForm, fingerprintOf, sampleArtifact, sampleAttestation, sampleFlow } from './service-samples.ts';
import type { ServiceProcess } from './service-process.ts';

// Writes that go on while a service is killed, and what must be true of them afterwards.

/** The key that the services of these tests are started with. */
const crashKey = `own1_${'x'.repeat(40)}`;

/** The options of a service with the organization and the key of these tests. */
export const crashWords: readonly string[] = ['--port', '0', '--org', 'acme', '--key', crashKey];

/** How many attest, and how many report, at the same time. */
export const crashWriters = 6;

/** A crash comes after so many attestations were acknowledged, in the middle of others. */
export const acknowledgedBeforeCrash = 40;

/** What services acknowledged. */
export interface Acknowledged {
  /** The attached content, by the trail that each attestation has for itself. */
  readonly attachments: Map<string, Uint8Array>;
  /** The numbers of the reports, by environment. */
  readonly reports: Map<string, number>;
}

interface Request extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
}

function ask({ baseUrl }: ServiceProcess, path: string, init: Request = {}): Promise<Response> {
  return fetch(baseUrl + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${crashKey}` } });
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

/** Creates what is written to. */
export async function prepareCrash(service: ServiceProcess): Promise<Acknowledged> {
  expect((await send(service, 'PUT', '/flows/acme', sampleFlow())).status).toBe(201);
  for (let writer = 0; writer < crashWriters; writer += 1) {
    await send(service, 'PUT', '/environments/acme', { name: `env-${writer}`, type: 'K8S' });
  }
  return { attachments: new Map(), reports: new Map() };
}

/** A report of one image of its own, so that each makes a snapshot. */
function reportOf(number: number): unknown {
  const digest = number.toString(16).padStart(64, '0');
  return { artifacts: [{ podName: 'web-1', namespace: 'shop', creationTimestamp: 1, digests: { web: digest } }] };
}

/** Sends attestations with files one after the other, until the connection breaks or it is told to end. */
export async function attestUntilCrash(
  service: ServiceProcess,
  writer: number,
  { attachments }: Acknowledged,
  isOver = (): boolean => false,
): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
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

/** Reports environments one after the other, until the connection breaks or it is told to end. */
export async function reportUntilCrash(
  service: ServiceProcess,
  writer: number,
  { reports }: Acknowledged,
  isOver = (): boolean => false,
): Promise<void> {
  for (let number = 1; !isOver(); number += 1) {
    const answer = await send(service, 'PUT', `/environments/acme/env-${writer}/report/K8S`, reportOf(number));
    await answer.text();
    expect(answer.status).toBe(201);
    reports.set(`env-${writer}`, number);
  }
}

/** Expects that writers ended because the connection broke, and for no other reason. */
export function expectBroken(ended: readonly PromiseSettledResult<unknown>[]): void {
  const reasons = ended.map((each) => (each.status === 'rejected' ? String(each.reason) : 'it did not end'));
  expect(reasons).toEqual(reasons.map(() => expect.stringMatching(/^TypeError: (?:fetch failed|terminated)$/u)));
}

/** Attests with an idempotency key and a file. */
async function attestWithKey(service: ServiceProcess, name: string): Promise<Response> {
  const body = attestationForm(sampleAttestation('OK'), { content: `the file of ${name}` });
  const headers = { 'idempotency-key': `"${name}"` };
  const answer = await ask(service, `/attestations/acme/web/trail/${name}/sonar`, { method: 'POST', body, headers });
  await answer.text();
  return answer;
}

/** All recorded attestations. */
export async function everyAttestation(service: ServiceProcess): Promise<readonly unknown[]> {
  return listAt(await read(service, '/attestations/acme/web?per_page=1000'), 'data');
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
    headers: { authorization: `Bearer ${crashKey}` },
  });
  expect(answer.status).toBe(200);
  return answer.bytes();
}

/**
 * Expects that a service has every write that was acknowledged, once, and at most one more of each writer.
 */
export async function expectAcknowledged(
  service: ServiceProcess,
  { attachments, reports }: Acknowledged,
): Promise<void> {
  const kept = await everyAttestation(service);
  // What was written but not acknowledged may be there: at most the one that each writer was waiting for.
  expect(kept.length).toBeGreaterThanOrEqual(attachments.size);
  expect(kept.length).toBeLessThanOrEqual(attachments.size + crashWriters);
  const sequences = kept.map((each) => Number(valueAt(each, 'sequence'))).sort((a, b) => a - b);
  expect(sequences).toEqual(sequences.map((_, position) => position + 1));
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
    expect(isMapping(artifact) ? artifact['fingerprint'] : undefined).toBe(acknowledged.toString(16).padStart(64, '0'));
  }
}

/** Writes with an idempotency key each, and those that were acknowledged. */
export interface KeyedWrites {
  readonly keys: readonly string[];
  readonly acknowledged: ReadonlySet<string>;
}

/** Sends many attestations with keys at once, and kills the service after the first answer, while most are waiting. */
export async function killDuringKeyedWrites(service: ServiceProcess, count: number): Promise<KeyedWrites> {
  const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
  const acknowledged = new Set<string>();
  const attempts = keys.map(async (name) => {
    await attestWithKey(service, name);
    acknowledged.add(name);
  });
  const crash = async (): Promise<void> => {
    while (acknowledged.size === 0) await new Promise(setImmediate);
    service.child.kill('SIGKILL');
  };
  await Promise.allSettled([crash(), ...attempts]);
  expect(acknowledged.size).toBeLessThan(keys.length);
  return { keys, acknowledged };
}

/** Sends all of them again, and expects that those that were acknowledged are not carried out a second time. */
export async function repeatKeyedWrites(service: ServiceProcess, { keys, acknowledged }: KeyedWrites): Promise<void> {
  for (const name of keys) {
    const answer = await attestWithKey(service, name);
    const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
    expect([name, answer.status, isReplayed]).toEqual([name, 201, acknowledged.has(name) || isReplayed]);
  }
}
