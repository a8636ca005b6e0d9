import { beforeAll, describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { unsupportedPlatform } from '../../tools/public-client/public-client.ts';
import { type ClientRun, type ClientSession, openClientSession } from './client-session.ts';

/** A command of the public client, and what is expected of it. */
export interface ClientStep {
  /** Its words, separated by spaces, with values of the session in braces. */
  readonly command: string;
  /** Default: 0. */
  readonly exitCode?: number;
  /** Texts in its output. */
  readonly says?: readonly (string | RegExp)[];
  /** What its output, which is JSON, contains. */
  readonly shows?: unknown;
  /** A name, and the path of a value in that JSON or its first item. Later steps name the value in braces. */
  readonly keeps?: readonly [string, ...(readonly string[])];
  /** The status of the last answer to it, if neither its exit code nor its output tells. */
  readonly status?: number;
}

/** For tests that run the public client. */
export const describeWithClient = unsupportedPlatform() === undefined ? describe : describe.skip;

/** Runs the steps, in order and whatever becomes of the earlier ones, and tests the results of each. */
export function testClientSteps(
  title: string,
  prepare: (session: ClientSession) => Promise<void> | void,
  steps: readonly ClientStep[],
): void {
  describeWithClient(title, () => {
    const runs = new Map<ClientStep, ClientRun>();

    beforeAll(async () => {
      const session = await openClientSession();
      try {
        await prepare(session);
        for (const step of steps) {
          const run = await session.run(step.command);
          runs.set(step, run);
          keepValue(session, step, run);
        }
        expect(session.service.errors).toEqual([]);
      } finally {
        await session.close();
      }
    }, 120_000);

    it.each(steps.map((step) => [step.command, step] as const))('%s', (_, step) => {
      const run = runs.get(step);
      if (run === undefined) throw new Error('the steps ended before this one');
      expectRun(run, step);
    });
  });
}

function keepValue({ remember }: ClientSession, { keeps }: ClientStep, { output, exitCode }: ClientRun): void {
  if (keeps === undefined || exitCode !== 0) return;
  const [name, ...path] = keeps;
  const document: unknown = JSON.parse(output);
  remember(name, textAt(Array.isArray(document) ? document[0] : document, ...path) ?? '');
}

/** Expects that a run ended as it should, and that nothing is wrong between the public client and the service. */
export function expectRun(
  run: ClientRun,
  { exitCode = 0, says = [], shows, status }: Omit<ClientStep, 'command'>,
): void {
  const { output, errorOutput, answers } = run;
  const all = `${output}\n${errorOutput}`;
  expect({ exitCode: run.exitCode, all, problems: problemsOf(run) }).toEqual({ exitCode, all, problems: [] });
  for (const text of says)
    expect(all).toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text));
  if (shows !== undefined) expect(JSON.parse(output)).toEqual(shows);
  expect(answers.length).toBeGreaterThan(0);
  if (status !== undefined) expect(answers.at(-1)?.status).toBe(status);
}

/** What is wrong even if a command is expected to fail. */
function problemsOf({ output, errorOutput, answers }: ClientRun): readonly string[] {
  const isPanic = /panic:|goroutine \d|interface conversion|runtime error/u.test(`${output}${errorOutput}`);
  return [
    ...(isPanic ? ['the public client panicked'] : []),
    ...answers.flatMap(({ deviation }) => (deviation === undefined ? [] : [deviation])),
    ...answers.flatMap(({ method, path, status, message }) =>
      status >= 500 || isMissingRoute(status, message) ? [`${method} ${path} → ${status}: ${message ?? ''}`] : [],
    ),
  ];
}

/** Whether the service answers that it has no such address, rather than no such record. */
function isMissingRoute(status: number, message: string | undefined): boolean {
  return status === 405 || (status === 404 && (message ?? '').startsWith('There is nothing at '));
}
