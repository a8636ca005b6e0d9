import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { ask, attestTrail, type InstanceAnswer, sendJson, sharedKey } from './service-instances.ts';
import { sampleFlow } from './service-samples.ts';

/** How long a writer waits before it sends a refused request again, in milliseconds. */
const pause = 25;

/** The environment that all writers report to; each has another one for itself. */
const sharedEnvironment = 'prod';

/** One write, which is sent until it is acknowledged. */
interface Write {
  readonly name: string;
  readonly send: (baseUrl: string) => Promise<InstanceAnswer>;
  /** Notes what must be found from now on. */
  readonly note: () => void;
}

/**
 * Clients that write all the time: attestations with and without attachments, and reports of environments. What a
 * service refuses with 503 or 507, or does not answer, is sent again to the next service, with the same idempotency
 * key. So every write must be recorded once in the end.
 */
export class WritingLoad {
  #baseUrls: readonly string[];
  /** The digest of the attached content by the trail that each attestation has for itself; undefined for none. */
  readonly #attestations = new Map<string, string | undefined>();
  /** The number of reports by environment. */
  readonly #reports = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #defects: string[] = [];
  #writers: readonly Promise<void>[] = [];
  #isStopping = false;
  #isAbandoned = false;

  /** @param baseUrls the services; their organization has the flow and the environments of `prepareLoad` */
  constructor(baseUrls: readonly string[]) {
    this.#baseUrls = baseUrls;
  }

  /** Starts this many writers. */
  start(count = 8): void {
    this.#writers = Array.from({ length: count }, (_, writer) => this.#writeAll(writer));
  }

  /** Sends to other services from now on, such as those that were started in place of the first. */
  moveTo(...baseUrls: readonly string[]): void {
    this.#baseUrls = baseUrls;
  }

  /** The number of acknowledged writes. */
  get acknowledged(): number {
    return this.#attestations.size + [...this.#reports.values()].reduce((sum, reports) => sum + reports, 0);
  }

  /** How often each status was answered that is no success, and `no answer`. */
  get refusals(): ReadonlyMap<string, number> {
    return this.#refusals;
  }

  /** The number of reports of the environment that all writers report to. */
  get sharedReports(): number {
    return this.#reports.get(sharedEnvironment) ?? 0;
  }

  /** Waits until this many more writes were acknowledged. */
  async proceed(count: number): Promise<void> {
    const wanted = this.acknowledged + count;
    while (this.acknowledged < wanted && this.#defects.length === 0) await wait(5);
    expect(this.#defects).toEqual([]);
  }

  /** Waits until a write was refused, or not answered, since the call. */
  async meetTrouble(): Promise<void> {
    const count = (): number => [...this.#refusals.values()].reduce((sum, refusals) => sum + refusals, 0);
    const before = count();
    while (count() === before && this.#defects.length === 0) await wait(5);
    expect(this.#defects).toEqual([]);
  }

  /**
   * Ends when every write that was begun is acknowledged. Nothing but refusals, which may be repeated, must have come.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#writers);
    expect(this.#defects).toEqual([]);
  }

  /** Ends now, whatever became of the last writes. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await Promise.all(this.#writers);
  }

  /** Expects that a service returns each acknowledged write once, and nothing else. */
  async expectRecords(baseUrl: string): Promise<void> {
    const attestations = await listAttestations(baseUrl);
    const trails = attestations.map((attestation) => textAt(attestation, 'trail_name') ?? '');
    expect(trails.toSorted()).toEqual([...this.#attestations.keys()].toSorted());
    const sequences = attestations.map((attestation) => Number(valueAt(attestation, 'sequence')));
    expect(sequences.toSorted((a, b) => a - b)).toEqual(sequences.map((_, index) => index + 1));
    for (const attestation of attestations) {
      const expected = this.#attestations.get(textAt(attestation, 'trail_name') ?? '');
      expect(await attachedDigest(baseUrl, attestation)).toBe(expected);
    }
    for (const [environment, reports] of this.#reports) {
      expect([environment, await snapshotNumbers(baseUrl, environment)]).toEqual([
        environment,
        Array.from({ length: reports }, (_, index) => index + 1),
      ]);
    }
  }

  async #writeAll(writer: number): Promise<void> {
    for (let turn = 0; !this.#isStopping && this.#canGoOn; turn += 1) {
      const write = this.#next(writer, turn);
      if (await this.#sendUntilAcknowledged(write, writer + turn)) write.note();
      if (turn % 4 === 2) await this.#expectFresh(ownEnvironment(writer), writer + turn + 1);
    }
  }

  get #canGoOn(): boolean {
    return this.#defects.length === 0 && !this.#isAbandoned;
  }

  #next(writer: number, turn: number): Write {
    const name = `w${writer}-${turn}`;
    if (turn % 4 === 1) return this.#attestation(name, randomBytes(turn % 8 === 1 ? 300_000 : 1000));
    if (turn % 4 === 0) return this.#attestation(name, undefined);
    return this.#report(name, turn % 4 === 2 ? ownEnvironment(writer) : sharedEnvironment);
  }

  #attestation(name: string, content: Buffer<ArrayBuffer> | undefined): Write {
    const digest = content === undefined ? undefined : createHash('sha256').update(content).digest('hex');
    return {
      name,
      send: (baseUrl) => attestTrail({ baseUrl }, name, content),
      note: () => this.#attestations.set(name, digest),
    };
  }

  #report(name: string, environment: string): Write {
    const web = createHash('sha256').update(name).digest('hex');
    const pod = { podName: 'web-1', namespace: 'shop', creationTimestamp: 1, digests: { web } };
    const path = `/environments/acme/${environment}/report/K8S`;
    return {
      name,
      send: (baseUrl) => sendJson(baseUrl, 'PUT', path, { artifacts: [pod] }, { 'idempotency-key': `"${name}"` }),
      note: () => this.#reports.set(environment, (this.#reports.get(environment) ?? 0) + 1),
    };
  }

  /** Returns whether it was acknowledged. */
  async #sendUntilAcknowledged({ name, send }: Write, first: number): Promise<boolean> {
    for (let attempt = 0; this.#canGoOn; attempt += 1) {
      const answer = await send(this.#url(first + attempt)).catch(() => undefined);
      if (answer?.status === 201) return true;
      this.#noteRefusal(name, answer);
      await wait(pause);
    }
    return false;
  }

  #noteRefusal(name: string, answer: InstanceAnswer | undefined): void {
    const status = answer === undefined ? 'no answer' : String(answer.status);
    this.#refusals.set(status, (this.#refusals.get(status) ?? 0) + 1);
    // 409: the first request with this key is still running, in a service that has lost its client or its database.
    const mayRepeat = answer === undefined || answer.status === 507 || answer.headers.has('retry-after');
    if (!mayRepeat || ![undefined, 409, 503, 507].includes(answer?.status))
      this.#defects.push(`${name}: ${status} ${answer?.text ?? ''}`);
  }

  /** Expects that another service knows the latest snapshot of an environment, if it answers. */
  async #expectFresh(environment: string, service: number): Promise<void> {
    const expected = this.#reports.get(environment) ?? 0;
    const path = `/snapshots/acme/${environment}?per_page=1`;
    const answer = await ask(this.#url(service), path).catch(() => undefined);
    if (answer?.status !== 200) {
      if (answer !== undefined && answer.status !== 503) this.#defects.push(`${path}: ${answer.text}`);
      return;
    }
    const list: unknown = JSON.parse(answer.text);
    const latest = Array.isArray(list) ? valueAt(list[0], 'index') : undefined;
    if (latest !== expected) this.#defects.push(`${path}: ${String(latest)} instead of ${expected}`);
  }

  #url(index: number): string {
    return this.#baseUrls[index % this.#baseUrls.length] ?? '';
  }
}

/** Creates the flow and the environments that this many writers use. */
export async function prepareLoad(baseUrl: string, writers = 8): Promise<void> {
  expect((await sendJson(baseUrl, 'PUT', '/flows/acme', sampleFlow())).status).toBe(201);
  const own = Array.from({ length: writers }, (_, writer) => ownEnvironment(writer));
  for (const name of [sharedEnvironment, ...own]) {
    expect((await sendJson(baseUrl, 'PUT', '/environments/acme', { name, type: 'K8S' })).status).toBe(201);
  }
}

function ownEnvironment(writer: number): string {
  return `env-${writer}`;
}

async function read(baseUrl: string, path: string): Promise<unknown> {
  const { status, text } = await ask(baseUrl, path);
  expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
  return JSON.parse(text);
}

/** All attestations of the flow. */
async function listAttestations(baseUrl: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const body = await read(baseUrl, `/attestations/acme/web?per_page=1000&page=${page}`);
    all.push(...listAt(body, 'data'));
    if (page >= Number(valueAt(body, 'pagination', 'page_count'))) return all;
  }
}

/** The SHA-256 of the content that is attached to an attestation; undefined for none. */
export async function attachedDigest(baseUrl: string, attestation: unknown): Promise<string | undefined> {
  const { pathname } = new URL(textAt(attestation, 'html_url') ?? '');
  const response = await fetch(new URL(`${pathname}/attachment`, baseUrl), {
    headers: { authorization: `Bearer ${sharedKey}` },
  });
  if (response.status === 404) return undefined;
  expect(response.status).toBe(200);
  return createHash('sha256')
    .update(await response.bytes())
    .digest('hex');
}

async function snapshotNumbers(baseUrl: string, environment: string): Promise<readonly unknown[]> {
  const numbers: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/snapshots/acme/${environment}?per_page=1000&page=${page}&reverse=true`;
    const list = await read(baseUrl, path);
    if (!Array.isArray(list) || list.length === 0) return numbers;
    numbers.push(...list.map((snapshot) => valueAt(snapshot, 'index')));
  }
}
