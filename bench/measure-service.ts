import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { withBareServer } from './bare-server.ts';
import type { Fixture } from './fixture.ts';
import { interleave } from './interleave.ts';
import type { LoadResult, LoadSettings } from './load-settings.ts';
import { attestRequests, getArtifactRequest, sampleKey } from './requests.ts';
import { type Row, withoutTarget, withTarget } from './row.ts';
import { runProcess } from './run-process.ts';
import { median } from './statistics.ts';
import { milliseconds, perSecond, times } from './units.ts';

/** One other process sends requests, on each connection one after the other. */
export const defaultLoad = { connections: 64, warmUpSeconds: 0.5, seconds: 1.5 };
const rounds = 4;

/** The throughput of the service with concurrent clients, compared with a bare HTTP server in Node.js. */
export async function measureService(fixture: Fixture): Promise<readonly Row[]> {
  const port = Number(new URL(fixture.service.baseUrl).port);
  const get = [getArtifactRequest(fixture, fixture.fingerprint)];
  const attest = { requests: attestRequests(fixture), counted: sampleKey.runId };
  const responseBytes = await measureResponse(fixture);
  const { attested, attestedBare, got, gotBare } = await withBareServer(responseBytes, (bare) =>
    interleave(
      {
        attested: () => generateLoad(fixture.directory, { ...defaultLoad, port, ...attest, status: 201 }),
        attestedBare: () => generateLoad(fixture.directory, { ...defaultLoad, port: bare, ...attest, status: 200 }),
        got: () => generateLoad(fixture.directory, { ...defaultLoad, port, requests: get, status: 200 }),
        gotBare: () => generateLoad(fixture.directory, { ...defaultLoad, port: bare, requests: get, status: 200 }),
      },
      rounds,
    ),
  );
  const p99 = p99Of(attested);
  const slowest = '… 99 of 100 answered within';
  return [
    rate('service: durable attestations', attested, attestedBare, 2000),
    withTarget(
      { what: slowest, figure: milliseconds(p99) },
      p99,
      { better: 'lower', mustReach: 100, aimFor: 50 },
      milliseconds,
    ),
    withoutTarget({ what: '… the same disk: write and fsync, one by one', figure: perSecond(syncsPerSecond(fixture)) }),
    rate('service: get-artifact', got, gotBare, 2000),
    withoutTarget({ what: slowest, figure: milliseconds(p99Of(got)) }),
  ];
}

/** The length of the response about the artifact in bytes. The bare server responds with as many. */
async function measureResponse({ service, org, flow, fingerprint, key }: Fixture): Promise<number> {
  const url = `${service.baseUrl}/artifacts/${org}/${flow}/fingerprint/${fingerprint}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`get-artifact responded with status ${response.status}`);
  return (await response.arrayBuffer()).byteLength;
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
 * Runs the load generator in its own process.
 *
 * @param directory for the settings file
 */
export function generateLoad(directory: string, settings: LoadSettings): LoadResult {
  const path = join(directory, 'load.json');
  writeFileSync(path, JSON.stringify(settings));
  const { output } = runProcess({ program: process.execPath, parameters: [program, path] });
  // Written by the load generator.
  return JSON.parse(output) as LoadResult;
}

/** How many writes per second the disk makes durable one by one: the limit of a service without group commits. */
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
