import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, jest } from '@jest/globals';
import type { ReportTarget } from '../../src/step/report/report-result.ts';
import { githubRunner } from '../../src/step/report/runner.ts';
import { collectSecrets } from '../../src/step/report/secrets.ts';
import { parseOutputs } from '../../tools/run-action.ts';

/** Everything that a step wrote: log, outputs, summary and response file. */
export interface CapturedOutput {
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly outputFile: string;
  readonly summary: string;
  /** Undefined if none was written. */
  readonly responseFile: string | undefined;
}

/** Captures what is written through the real runner in this process. */
export async function captureOutput(
  secrets: readonly string[],
  work: (target: ReportTarget) => unknown,
  files: { readonly summary?: boolean } = {},
): Promise<CapturedOutput> {
  const directory = mkdtempSync(join(tmpdir(), 'captured-output-'));
  const outputPath = join(directory, 'output');
  writeFileSync(outputPath, '');
  writeFileSync(summaryPath, '');
  let log = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    log += String(chunk);
    return true;
  });
  try {
    const environment = { GITHUB_OUTPUT: outputPath, GITHUB_STEP_SUMMARY: files.summary === false ? '' : summaryPath };
    const collected = collectSecrets(secrets);
    await inEnvironment(environment, () =>
      work({ runner: githubRunner(environment, collected), secrets: collected, directory }),
    );
    const outputFile = readFileSync(outputPath, 'utf8');
    return {
      log,
      outputs: parseOutputs(outputFile),
      outputFile,
      summary: readFileSync(summaryPath, 'utf8'),
      responseFile: readIfThere(join(directory, 'response.json')),
    };
  } finally {
    write.mockRestore();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One for all test files of a process, because @actions/core remembers the path of its first summary. */
const summaryPath = join(tmpdir(), `summary-${process.pid}.md`);

afterAll(() => {
  rmSync(summaryPath, { force: true });
});

/** Sets environment variables of the process while work runs, because @actions/core reads them there. */
export async function inEnvironment<Result>(
  variables: Readonly<Record<string, string>>,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
