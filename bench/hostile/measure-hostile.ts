import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { fakeApp } from '../../test/support/fake-github-app.ts';
import { hostileOrg } from '../../test/support/hostile-requests.ts';
import { startTrialService } from '../../trial/trial-service.ts';
import { type Row, withTarget } from '../row.ts';
import { quantile } from '../statistics.ts';
import { milliseconds } from '../units.ts';
import { type Flood, floods } from './floods.ts';

const program = join(import.meta.dirname, '..', 'programs', 'flood.ts');
const heap = '--max-old-space-size=256';
const secondsWithout = 5;
const secondsOfFlood = 20;
/** Between two requests of the other organization, in milliseconds. */
const interval = 20;

/**
 * How long get-artifact of another organization, and `/ready`, take while a tenant floods a service with a heap of
 * 256 MB. Fails if the service ends.
 *
 * @param only measures the floods whose names contain one of these words; all if empty
 */
export async function measureHostile(directory: string, only: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const flood of floods) {
    if (only.length > 0 && !only.some((word) => flood.name.includes(word))) continue;
    const data = join(directory, flood.name.replaceAll(/\W+/gu, '-'));
    await mkdir(data);
    rows.push(...(await measureFlood(flood, data)));
  }
  return rows;
}

async function measureFlood(flood: Flood, data: string): Promise<readonly Row[]> {
  const key = `f10000000000000a_${'k'.repeat(43)}`;
  const adminKey = 'administration-key-0123456789abcdef';
  const service = await startTrialService(data, hostileOrg, key, {
    ...{ NODE_OPTIONS: heap, COMPLIANCE_SERVICE_ADMIN_KEY: adminKey },
    COMPLIANCE_SERVICE_ALLOW_PRIVATE_ISSUERS: 'true',
    COMPLIANCE_SERVICE_GITHUB_APP_ID: String(fakeApp.appId),
    COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY: fakeApp.privateKey,
    COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET: fakeApp.webhookSecret,
    COMPLIANCE_SERVICE_GITHUB_INSTALLATION: `${hostileOrg}=1`,
    // Nothing answers there.
    COMPLIANCE_SERVICE_GITHUB_API_URL: 'http://127.0.0.1:9',
  });
  try {
    const { origin } = new URL(service.baseUrl);
    const askArtifact = await prepareOther(origin, adminKey);
    const child = spawn(process.execPath, [program, flood.name, origin, key], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).done === true) throw new Error(`the flood '${flood.name}' could not be prepared`);
    const askReady = (): Promise<unknown> => ask(`${origin}/ready`, {}, [200]);
    const without = await measureAnswers(askArtifact, secondsWithout);
    child.stdin.write('\n');
    const [artifacts, ready] = await Promise.all([
      measureAnswers(askArtifact, secondsOfFlood),
      measureAnswers(askReady, secondsOfFlood),
    ]);
    child.stdin.end();
    const statuses = String((await Promise.race([lines.next(), sleep(30_000, { value: '' })])).value);
    child.kill('SIGKILL');
    // The service must still be there.
    await askArtifact();
    console.error(`${flood.name}: answered ${statuses}`);
    return toRows(flood, { without, artifacts, ready });
  } finally {
    await service.stop();
  }
}

interface Measured {
  /** The times of answers in milliseconds. */
  readonly without: readonly number[];
  readonly artifacts: readonly number[];
  readonly ready: readonly number[];
}

function toRows({ name }: Flood, { without, artifacts, ready }: Measured): readonly Row[] {
  const [alone, p99, worst] = [quantile(without, 0.99), quantile(artifacts, 0.99), Math.max(...ready)];
  const limit = Math.max(100, 5 * alone);
  const row = (what: string, value: number, mustReach: number, against = ''): Row => {
    const target = { better: 'lower', mustReach, aimFor: mustReach } as const;
    return withTarget({ what, figure: milliseconds(value), against }, value, target, milliseconds);
  };
  return [
    row(`${name}: get-artifact of another organization, 99 of 100`, p99, limit, `alone ${milliseconds(alone)}`),
    row('… /ready, the worst', worst, 250),
  ];
}

/** Asks again and again. Returns how long each answer took, in milliseconds. */
async function measureAnswers(askOnce: () => Promise<unknown>, seconds: number): Promise<readonly number[]> {
  const ends = performance.now() + seconds * 1000;
  const times: number[] = [];
  while (performance.now() < ends) {
    const started = performance.now();
    await askOnce();
    times.push(performance.now() - started);
    await sleep(interval);
  }
  return times;
}

/** Creates another organization with an artifact. Returns a function that looks it up. */
async function prepareOther(origin: string, adminKey: string): Promise<() => Promise<unknown>> {
  const send = async (path: string, key: string, method: string, document: unknown): Promise<unknown> =>
    ask(origin + path, { method, body: JSON.stringify(document), headers: headersOf(key) }, [200, 201]);
  const created = await send('/admin/v1/organizations', adminKey, 'POST', { name: 'other', admin: 'ann' });
  const key = textAt(valueAt(created, 'api_key'), 'key') ?? '';
  const fingerprint = 'f'.repeat(64);
  await send('/api/v2/flows/other', key, 'PUT', { name: 'web', description: '', template: [] });
  await send('/api/v2/artifacts/other/web', key, 'POST', {
    ...{ fingerprint, filename: 'web', trail_name: 'main', git_commit: 'a'.repeat(40) },
    ...{ build_url: 'https://ci.example.com/1', commit_url: 'https://git.example.com/1' },
  });
  const url = `${origin}/api/v2/artifacts/other/web/fingerprint/${fingerprint}`;
  return () => ask(url, { headers: headersOf(key) }, [200]);
}

function headersOf(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

/** @throws Error if the answer has another status */
async function ask(url: string, request: RequestInit, expected: readonly number[]): Promise<unknown> {
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (!expected.includes(answer.status)) throw new Error(`${url} was answered ${answer.status}: ${text}`);
  return text === '' || !text.startsWith('{') ? text : JSON.parse(text);
}
