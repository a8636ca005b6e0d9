import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { isBuilt } from './dist.ts';
import { measureBackup } from './measure-backup.ts';
import { measureDownload } from './measure-download.ts';
import { measureFingerprints } from './measure-fingerprints.ts';
import { measureHostileLoad } from './measure-hostile-load.ts';
import { measureLongLists } from './measure-long-lists.ts';
import { measureMemory } from './measure-memory.ts';
import { measureMillion } from './measure-million.ts';
import { measureServiceStart } from './measure-service-start.ts';
import { measureService } from './measure-service.ts';
import { measureSteps } from './measure-steps.ts';
import { readOptions, type BenchOptions } from './options.ts';
import type { Row } from './row.ts';
import { withScene } from './scene.ts';
import { formatTable } from './table.ts';

/*
 * `npm run bench`: what the action costs a job, and what the service bears, as one table (docs/performance.md). Everything
 * is measured on whole processes, in turn with what it is compared with.
 */

const options = readOptions(process.argv.slice(2));
if (isBuilt()) {
  await bench(options);
} else {
  console.error('There is no dist/ to measure; run `npm run build` first.');
  process.exitCode = 1;
}

async function bench({ check, rounds, ...options }: BenchOptions): Promise<void> {
  console.log(`${machine()}\nMedians of ${rounds} runs, taken in turn with what they are compared with.\n`);
  const begun = performance.now();
  const rows = await measure(rounds, options);
  console.log(`${formatTable(rows)}\n\nTook ${((performance.now() - begun) / 1000).toFixed(0)} s; ${busy()}`);
  const missed = rows.filter((row) => row.reached === 'no');
  if (missed.length > 0) console.log(`Not reached: ${missed.map((row) => row.what).join('; ')}.`);
  if (check && missed.length > 0) process.exitCode = 1;
}

function measure(
  rounds: number,
  { large, million, backup, hostile, only }: Omit<BenchOptions, 'check' | 'rounds'>,
): Promise<readonly Row[]> {
  return withScene(async (scene) => {
    const parts: readonly (readonly [string, () => Promise<readonly Row[]>])[] = [
      ['steps', () => measureSteps(scene.steps, rounds)],
      ['download', () => Promise.resolve([measureDownload()])],
      ['memory', () => measureMemory(scene, rounds)],
      ['fingerprints', () => measureFingerprints(scene.directory, large ? 1024 : 256, rounds)],
      ['service', () => measureService(scene)],
      // Stops the scene's service; what comes after it starts its own.
      ['start of the service', async () => [await measureServiceStart(scene, rounds)]],
      ['long lists', () => measureLongLists(scene)],
      ...(million ? [['a million attestations', () => measureMillion(scene.directory, scene)] as const] : []),
      ...(backup ? [['backup', () => measureBackup(scene.directory, scene)] as const] : []),
      ...(hostile ? [['hostile load', () => measureHostileLoad(scene.directory)] as const] : []),
    ];
    const rows: Row[] = [];
    for (const [what, work] of parts) {
      if (only.length === 0 || only.some((word) => what.includes(word))) rows.push(...(await told(what, work)));
    }
    return rows;
  });
}

/** Tells on the error output what is going on, so that the output is the table alone. */
async function told<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  const result = await work();
  console.error(`measured: ${what} (${((performance.now() - begun) / 1000).toFixed(0)} s)`);
  return result;
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.versions.node} on ${type()} ${release()}, ${availableParallelism()} CPUs (${model}); ${busy()}`;
}

/** The machine's own word for how busy it is; always 0 on Windows. */
function busy(): string {
  return `load average ${loadavg()[0]?.toFixed(1) ?? ''} (1 minute)`;
}
