import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Fixture } from './fixture.ts';
import { interleavedMedians } from './interleave.ts';
import { type Row, withTarget } from './row.ts';
import { runProcess } from './run-process.ts';
import { bareNode } from './step-command.ts';
import { milliseconds, times } from './units.ts';

/** A service that can be started, and an artifact in it. */
export type StartableService = Pick<Fixture, 'startService' | 'org' | 'flow' | 'fingerprint' | 'key'>;

/**
 * The time from starting the service's process until the response to a request that is sent as soon as it listens. The
 * data must be that of a service that was stopped.
 *
 * @param mustReach in milliseconds
 */
export async function measureServiceStart(fixture: StartableService, rounds: number, mustReach: number): Promise<Row> {
  const wall = await interleavedMedians(
    { bare: () => runProcess(bareNode).wall, start: () => startToFirstResponse(fixture) },
    rounds,
  );
  return withTarget(
    {
      what: 'service: start to first answer',
      figure: milliseconds(wall.start),
      against: `bare node ${milliseconds(wall.bare)}`,
      ratio: times(wall.start / wall.bare),
    },
    wall.start,
    { better: 'lower', mustReach, aimFor: mustReach },
    milliseconds,
  );
}

async function startToFirstResponse({ startService, org, flow, fingerprint, key }: StartableService): Promise<number> {
  const started = performance.now();
  const service = await startService();
  try {
    const url = `${service.baseUrl}/artifacts/${org}/${flow}/fingerprint/${fingerprint}`;
    const status = await requestStatus(url, key);
    const took = performance.now() - started;
    if (status !== 200) throw new Error(`the first response has status ${status}`);
    return took;
  } finally {
    await service.stop();
  }
}

async function requestStatus(url: string, key: string): Promise<number | undefined> {
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${key}` } });
  // The event has one argument.
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}
