import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder of the built action. COMPLIANCE_ACTION_DIST names another one, to test other builds. */
export const actionFolder = resolve(process.env['COMPLIANCE_ACTION_DIST'] ?? join(import.meta.dirname, '..', 'dist'));

/** What a runner gives a step. */
export interface StepSettings {
  /** The inputs under `with:`, by name. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The `GITHUB_*` variables of the job, and those that `env:` sets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The payload of the event. Without it there is no event file. */
  readonly event?: unknown;
  /** The program to run instead of the built action, for benchmarks. */
  readonly program?: readonly string[];
  /** Sends this signal once, when the log contains the text. */
  readonly kill?: { readonly when: string; readonly signal: NodeJS.Signals };
  /** Work that is done while the step runs: each once, in this order, when the log contains its text. */
  readonly meanwhile?: readonly Meanwhile[];
}

/** Work that is done when the log of a step contains a text. */
export interface Meanwhile {
  readonly when: string;
  readonly work: () => Promise<unknown>;
}

/** The results of a step. */
export interface ActionRun {
  readonly exitCode: number | null;
  /** The standard output, in which the runner finds workflow commands. */
  readonly log: string;
  readonly errorLog: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The content of the file that the output `response-path` names; undefined if there is none. */
  readonly response: unknown;
}

/** Runs the built action (`dist/`) as a runner does, with environment variables and files. */
export async function runAction(settings: StepSettings): Promise<ActionRun> {
  const directory = await mkdtemp(join(tmpdir(), 'compliance-action-run-'));
  try {
    const files = await runnerFiles(directory, settings.event);
    const environment = { ...machine(), ...files, ...settings.environment, ...inputVariables(settings.inputs) };
    const ended = await execute(environment, settings);
    const outputs = parseOutputs(await readFile(files.GITHUB_OUTPUT, 'utf8'));
    return {
      ...ended,
      outputs,
      summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
      response: await readResponse(outputs['response-path']),
    };
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The variables of this process that the jobs of a runner have, too, and the folder of compiled code, which makes steps
 * of tests start faster. Those of an outer job are left out.
 */
function machine(): Record<string, string> {
  const names = [
    'PATH',
    'Path',
    'HOME',
    'USERPROFILE',
    'SystemRoot',
    'TEMP',
    'TMP',
    'TMPDIR',
    'LANG',
    'GIT_CONFIG_GLOBAL',
    'NODE_COMPILE_CACHE',
  ];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** The variables in which a runner passes inputs. */
export function inputVariables(inputs: StepSettings['inputs']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  );
}

interface RunnerFiles extends Record<string, string> {
  readonly GITHUB_OUTPUT: string;
  readonly GITHUB_STEP_SUMMARY: string;
}

async function runnerFiles(directory: string, event: unknown): Promise<RunnerFiles> {
  const temporary = join(directory, 'temp');
  const files: RunnerFiles = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_OUTPUT: join(directory, 'output'),
    GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
    RUNNER_TEMP: temporary,
  };
  await mkdir(temporary);
  await writeFile(files.GITHUB_OUTPUT, '');
  await writeFile(files.GITHUB_STEP_SUMMARY, '');
  if (event === undefined) return files;
  const eventFile = join(directory, 'event.json');
  await writeFile(eventFile, JSON.stringify(event));
  return { ...files, GITHUB_EVENT_PATH: eventFile };
}

type Ended = Pick<ActionRun, 'exitCode' | 'log' | 'errorLog'>;

function execute(environment: Record<string, string>, { program, kill, meanwhile = [] }: StepSettings): Promise<Ended> {
  const [command = process.execPath, ...parameters] = program ?? [process.execPath, join(actionFolder, 'index.js')];
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    let errorLog = '';
    // Once only, because a runner's next signal is another one.
    let killed = false;
    const left = [...meanwhile];
    const others: Promise<unknown>[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (left[0] !== undefined && log.includes(left[0].when)) others.push(left.shift()?.work() ?? Promise.resolve());
      if (kill === undefined || killed || !log.includes(kill.when)) return;
      killed = child.kill(kill.signal);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorLog += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode) => {
      Promise.all(others).then(() => {
        resolve({ exitCode, log, errorLog });
      }, reject);
    });
  });
}

/**
 * Reads the runner's file format: `name<<delimiter`, the value's lines, the delimiter; the last value of a name counts.
 * A runner takes the line breaks of Windows, too; each output is read with those that its first line has.
 *
 * @throws Error if the file is malformed; a runner fails the step then
 */
export function parseOutputs(text: string): Readonly<Record<string, string>> {
  const outputs: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [heading = '', name, delimiter, lineEnd] = /^([^=<]+)<<(.+?)(\r?\n)/u.exec(rest) ?? [];
    if (name === undefined || delimiter === undefined || lineEnd === undefined)
      throw new Error(`expected the first line of an output: ${rest.slice(0, 200)}`);
    // The line break before the delimiter is part of the format; all others are part of the value.
    const last = `${lineEnd}${delimiter}${lineEnd}`;
    const value = rest.slice(heading.length - lineEnd.length);
    const end = value.indexOf(last);
    if (end < 0) throw new Error(`the delimiter after the output ${name} is missing`);
    outputs[name] = value.slice(lineEnd.length, end);
    rest = value.slice(end + last.length);
  }
  return outputs;
}

async function readResponse(path: string | undefined): Promise<unknown> {
  if (path === undefined || path === '') return undefined;
  return JSON.parse(await readFile(path, 'utf8'));
}
