import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  askWithoutReading,
  buildHostileRequests,
  createSend,
  hostileOrg,
  prepareHostileLoad,
  type BuiltRequest,
} from '../test/support/hostile-requests.ts';
import { startTrialService } from '../trial/trial-service.ts';
import type { ReadinessResult, ReadinessSettings } from './readiness-settings.ts';
import { withTarget, type Row } from './row.ts';
import { median } from './statistics.ts';
import { milliseconds } from './units.ts';

const rounds = 5;
const heap = { NODE_OPTIONS: '--max-old-space-size=256' };
/** Milliseconds between two requests for /ready. */
const interval = 5;
/** Clients that request a large page and never read it. */
const idleReaders = 10;

/**
 * How quickly a service with a heap of 256 MB answers /ready while it gets fifty hostile requests at once. Fails if one
 * of them causes an internal error, or if the service exits.
 */
export async function measureHostileLoad(directory: string): Promise<readonly Row[]> {
  // Those of test/service/hostile-load.slow.test.ts. They are built before anything is measured.
  const requests = await buildHostileRequests();
  const results: ReadinessResult[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const data = join(directory, `hostile-${round}`);
    await mkdir(data);
    results.push(await measureOnce(data, requests));
  }
  const row = (what: string, value: number, mustReach: number, aimFor: number): Row =>
    withTarget({ what, figure: milliseconds(value) }, value, { better: 'lower', mustReach, aimFor }, milliseconds);
  return [
    row('service: /ready under fifty hostile requests, worst', median(results.map(({ worst }) => worst)), 100, 50),
    row('… 99 of 100 answered within', median(results.map(({ p99 }) => p99)), 100, 50),
  ];
}

async function measureOnce(data: string, requests: readonly BuiltRequest[]): Promise<ReadinessResult> {
  const key = `hostile_${'k'.repeat(43)}`;
  const service = await startTrialService(data, hostileOrg, key, heap);
  try {
    const send = createSend(service.baseUrl, key);
    await prepareHostileLoad(send);
    const readers = Array.from({ length: idleReaders }, () => askWithoutReading(service.baseUrl, key));
    const asking = await startAsking({ port: Number(new URL(service.baseUrl).port), interval });
    const statuses = await Promise.all(requests.map(send));
    const result = await asking.stop();
    for (const reader of readers) reader.destroy();
    const faults = statuses.filter((status) => ![200, 201, 400, 413, 503].includes(Number(status)));
    if (faults.length > 0) throw new Error(`hostile requests got the statuses ${faults.join(', ')}`);
    return result;
  } finally {
    await service.stop();
  }
}

interface Asking {
  stop(): Promise<ReadinessResult>;
}

const program = join(import.meta.dirname, 'programs', 'poll-readiness.ts');

/** Polls in another process, because this one is busy sending the hostile requests. */
async function startAsking(settings: ReadinessSettings): Promise<Asking> {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error('poll-readiness.ts ended early');
    return value;
  };
  await line();
  return {
    stop: async () => {
      child.stdin.end();
      const exit = once(child, 'exit');
      // Written by poll-readiness.ts.
      const result = JSON.parse(await line()) as ReadinessResult;
      await exit;
      return result;
    },
  };
}
