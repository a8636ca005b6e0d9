import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { isBuilt } from './built-action.ts';
import { type Fixture, withFixture } from './fixture.ts';
import { measureHostile } from './hostile/measure-hostile.ts';
import { measureDownload } from './measure-download.ts';
import { measureFingerprints } from './measure-fingerprints.ts';
import { measureLongLists } from './measure-long-lists.ts';
import { measureMemory } from './measure-memory.ts';
import { measurePages } from './measure-pages.ts';
import { measureService } from './measure-service.ts';
import { measureServiceStart } from './measure-service-start.ts';
import { measureSteps } from './measure-steps.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { measurePostgres } from './postgres/measure-postgres.ts';
import { withPostgres } from './postgres/postgres-fixture.ts';
import type { Row } from './row.ts';
import { formatTable } from './table.ts';

/*
 * `npm run bench`: what the action costs a job, and how much load the service can take, as one table
 * (docs/contributing/performance.md). Whole processes are measured, in turn with what they are compared with.
 */

const options = readOptions(process.argv.slice(2));
if (isBuilt()) {
  await bench(options);
} else {
  console.error('dist/ is missing. Run `npm run build` first.');
  process.exitCode = 1;
}

async function bench({ check, rounds, ...options }: BenchOptions): Promise<void> {
  console.log(`${machine()}\nMedians of ${rounds} runs, in turn with what they are compared with.\n`);
  const started = performance.now();
  const rows = await measure(rounds, options);
  console.log(
    `${formatTable(rows)}\n\nThe bench took ${((performance.now() - started) / 1000).toFixed(0)} s; ${loadAverage()}`,
  );
  const missed = rows.filter((row) => row.reached === 'no');
  if (missed.length > 0) console.log(`Missed targets: ${missed.map((row) => row.what).join('; ')}.`);
  if (check && missed.length > 0) process.exitCode = 1;
}

function measure(
  rounds: number,
  { large, postgres, hostile, only }: Omit<BenchOptions, 'check' | 'rounds'>,
): Promise<readonly Row[]> {
  return withFixture(async (fixture) => {
    if (hostile) {
      await fixture.service.stop();
      return measureHostile(fixture.directory, only);
    }
    const parts: readonly (readonly [string, () => Promise<readonly Row[]>])[] = [
      ['steps', () => measureSteps(fixture.steps, rounds)],
      ['download', () => Promise.resolve([measureDownload()])],
      ['memory', () => measureMemory(fixture, rounds)],
      ['fingerprints', () => measureFingerprints(fixture.directory, large ? 1024 : 256, rounds)],
      ['service', () => measureService(fixture)],
      // Stops the service of the fixture. The parts after it start their own.
      ['start of the service', () => measureStart(fixture, rounds)],
      ['long lists', () => measureLongLists(fixture)],
      ['pages', () => measurePages(fixture, large ? 1_000_000 : 100_000, rounds)],
      ...(postgres ? [['PostgreSQL', () => measureWithPostgres(fixture, rounds)] as const] : []),
    ];
    const rows: Row[] = [];
    for (const [what, work] of parts) {
      if (only.length === 0 || only.some((word) => what.includes(word))) rows.push(...(await timed(what, work)));
    }
    return rows;
  });
}

async function measureStart(fixture: Fixture, rounds: number): Promise<readonly Row[]> {
  await fixture.service.stop();
  return [await measureServiceStart(fixture, rounds, 400)];
}

function measureWithPostgres(fixture: Fixture, rounds: number): Promise<readonly Row[]> {
  return withPostgres(fixture.directory, fixture, (postgres) => measurePostgres(postgres, rounds));
}

/** Logs progress to standard error, so that standard output is only the table. */
async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  console.error(`measured: ${what} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  return result;
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.versions.node} on ${type()} ${release()}, ${availableParallelism()} CPUs (${model}); ${loadAverage()}`;
}

/** Always 0 on Windows. */
function loadAverage(): string {
  return `load average ${loadavg()[0]?.toFixed(1) ?? ''} (1 minute)`;
}
