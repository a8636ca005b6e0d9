import { fsyncSync, openSync, closeSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { withBareServer } from './bare-server.ts';
import { interleave } from './interleave.ts';
import type { LoadResult, LoadSettings } from './load-settings.ts';
import { attestRequests, getArtifactRequest } from './requests.ts';
import { withoutTarget, withTarget, type Row } from './row.ts';
import type { Fixture } from './fixture.ts';
import { median } from './statistics.ts';
import { milliseconds, perSecond, times } from './units.ts';
import { runProcess } from './run-process.ts';

/** How the service is loaded: by one other process, with a request under way on each connection all the time. */
export const usualLoad = { connections: 64, warmUpSeconds: 0.5, seconds: 1.5 };
const rounds = 4;

/** How much the service answers from concurrent clients on the loopback, against the least that Node can do. */
export async function measureService(fixture: Fixture): Promise<readonly Row[]> {
  const port = Number(new URL(fixture.service.baseUrl).port);
  const get = [getArtifactRequest(fixture, fixture.fingerprint)];
  const attest = attestRequests(fixture);
  const answerBytes = await lengthOfAnswer(fixture);
  const { attested, attestedBare, got, gotBare } = await withBareServer(answerBytes, (bare) =>
    interleave(
      {
        attested: () => generateLoad(fixture.directory, { ...usualLoad, port, requests: attest, status: 201 }),
        attestedBare: () =>
          generateLoad(fixture.directory, { ...usualLoad, port: bare, requests: attest, status: 200 }),
        got: () => generateLoad(fixture.directory, { ...usualLoad, port, requests: get, status: 200 }),
        gotBare: () => generateLoad(fixture.directory, { ...usualLoad, port: bare, requests: get, status: 200 }),
      },
      rounds,
    ),
  );
  const p99 = p99Of(attested);
  const slowest = '… 99 of 100 answered within';
  return [
    rate('service: durable attestations', attested, attestedBare, 5000),
    withTarget(
      { what: slowest, figure: milliseconds(p99) },
      p99,
      { better: 'lower', mustReach: 50, aimFor: 50 },
      milliseconds,
    ),
    withoutTarget({ what: '… the same disk: write and fsync, one by one', figure: perSecond(syncsPerSecond(fixture)) }),
    rate('service: get-artifact', got, gotBare, 15_000),
    withoutTarget({ what: slowest, figure: milliseconds(p99Of(got)) }),
  ];
}

/** The bytes of the service's answer about the artifact: the bare server answers as many. */
async function lengthOfAnswer({ service, org, flow, fingerprint, key }: Fixture): Promise<number> {
  const url = `${service.baseUrl}/artifacts/${org}/${flow}/fingerprint/${fingerprint}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (answer.status !== 200) throw new Error(`the artifact was answered ${answer.status}`);
  return (await answer.arrayBuffer()).byteLength;
}

type Samples = readonly LoadResult[];

function rate(what: string, samples: Samples, bareSamples: Samples, mustReach: number): Row {
  const figure = median(samples.map((result) => result.perSecond));
  const bare = median(bareSamples.map((result) => result.perSecond));
  const p50 = median(samples.map((result) => result.p50));
  return withTarget(
    {
      what,
      figure: `${perSecond(figure)}, half within ${milliseconds(p50)}`,
      against: `bare node:http ${perSecond(bare)}`,
      ratio: times(figure / bare),
    },
    figure,
    { better: 'higher', mustReach, aimFor: mustReach },
    perSecond,
  );
}

function p99Of(samples: Samples): number {
  return median(samples.map((result) => result.p99));
}

const program = join(import.meta.dirname, 'programs', 'generate-load.ts');

/**
 * Puts a service under load, in a process of its own, so that client and service do not share one thread.
 *
 * @param directory for the settings
 */
export function generateLoad(directory: string, settings: LoadSettings): LoadResult {
  const path = join(directory, 'load.json');
  writeFileSync(path, JSON.stringify(settings));
  const { output } = runProcess({ program: process.execPath, parameters: [program, path] });
  // Written by a program of the bench.
  return JSON.parse(output) as LoadResult;
}

/** How often in a second the disk makes a write durable; a service that waits for each one alone is not faster. */
function syncsPerSecond({ directory }: Fixture): number {
  const file = openSync(join(directory, 'synced'), 'w');
  const page = Buffer.alloc(4096, 1);
  const started = performance.now();
  let written = 0;
  while (performance.now() - started < 500) {
    writeSync(file, page);
    fsyncSync(file);
    written += 1;
  }
  const took = performance.now() - started;
  closeSync(file);
  return (written * 1000) / took;
}
