import { isMapping, listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { isConditionMet, resolveExpressions } from './expressions.ts';

/** How a step or a job ended. */
export type Result = 'success' | 'failure' | 'skipped';

/** The folders of a job, which it does not share with other jobs. */
export interface JobFolders {
  readonly workspace: string;
  /** `RUNNER_TEMP`. */
  readonly temp: string;
}

/** A step whose expressions are replaced by their values. */
export interface ReadyStep extends JobFolders {
  /** The action (`actions/checkout@…`), or the script of a step with `run:`. */
  readonly runs: { readonly action: string } | { readonly script: string };
  readonly inputs: Readonly<Record<string, string>>;
  /** The variables from `env:` of the workflow, job and step. */
  readonly environment: Readonly<Record<string, string>>;
  readonly contexts: Mapping;
  /** The `permissions:` of its job. */
  readonly permissions: unknown;
}

/** The result of a step. */
export interface StepRun {
  readonly succeeded: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
  /** Only for a step that ran the built action. */
  readonly action?: ActionRun;
}

/** Runs the steps, and provides what the workflow needs. */
export interface Runner {
  openJob(): Promise<JobFolders>;
  run(step: ReadyStep): Promise<StepRun>;
  /** The reusable workflows, by their paths in the repository. */
  readonly called: ReadonlyMap<string, unknown>;
}

/** A step that was reached, or skipped by its condition. */
export interface StepEnd extends StepRun {
  /** Its name, or the action or script that it runs. */
  readonly name: string;
  readonly outcome: Result;
  /** The outcome after `continue-on-error`. */
  readonly conclusion: Result;
}

/** One run of a job. Each job of a matrix has its own. */
export interface JobEnd {
  /** The job's key; in a reusable workflow after that of the caller: `gate / gate`. */
  readonly key: string;
  readonly result: Result;
  readonly outputs: Readonly<Record<string, string>>;
  readonly steps: readonly StepEnd[];
}

export interface WorkflowEnd {
  readonly jobs: readonly JobEnd[];
  /** What a reusable workflow returns to its caller. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** What the jobs that need a job see of its runs. */
interface Needed {
  readonly result: Result;
  readonly outputs: Readonly<Record<string, string>>;
  /** Includes all jobs that it needs, directly or indirectly. */
  readonly results: readonly Result[];
}

/**
 * Runs the jobs of a workflow as GitHub does: in the order of their needs, with matrices, called workflows, conditions,
 * `env`, expressions and outputs. What the documented workflows do not use (services, containers, `include`) is not
 * there.
 *
 * @param contexts `github`, `vars`, `secrets`, `inputs`: what expressions find everywhere
 */
export async function runWorkflow(workflow: unknown, contexts: Mapping, runner: Runner): Promise<WorkflowEnd> {
  const jobs = valueAt(workflow, 'jobs');
  if (!isMapping(jobs)) throw new Error('the workflow has no jobs');
  const ends: JobEnd[] = [];
  const needed = new Map<string, Needed>();
  for (const key of inOrderOfNeeds(jobs)) {
    const job = jobs[key];
    const before = needsOf(job).flatMap((name) => needed.get(name) ?? []);
    const needs = Object.fromEntries(needsOf(job).map((name) => [name, needed.get(name)] as const));
    const results = before.flatMap((one) => one.results);
    const status = { success: results.every((one) => one === 'success'), failure: results.includes('failure') };
    const known = { ...contexts, needs };
    const runs = isConditionMet(valueAt(job, 'if'), known, status)
      ? await runJob(key, { workflow, job, contexts: known }, runner)
      : [{ key, result: 'skipped' as const, outputs: {}, steps: [] }];
    ends.push(...runs);
    const result = worst(runs.map((run) => run.result));
    needed.set(key, { result, outputs: runs.at(-1)?.outputs ?? {}, results: [...results, result] });
  }
  const declared = valueAt(workflow, 'on', 'workflow_call', 'outputs');
  const values = isMapping(declared) ? Object.entries(declared).map(([name, one]) => [name, textAt(one, 'value')]) : [];
  return { jobs: ends, outputs: resolvedMapping(Object.fromEntries(values), { jobs: Object.fromEntries(needed) }) };
}

/** The `permissions:` of a job, which replace those of its workflow. */
export function permissionsOf(job: unknown, workflow: unknown): unknown {
  return valueAt(job, 'permissions') ?? valueAt(workflow, 'permissions');
}

interface JobTask {
  readonly workflow: unknown;
  readonly job: unknown;
  readonly contexts: Mapping;
}

async function runJob(key: string, task: JobTask, runner: Runner): Promise<readonly JobEnd[]> {
  const called = textAt(task.job, 'uses');
  if (called !== undefined) return callWorkflow(key, called, task, runner);
  const ends: JobEnd[] = [];
  for (const matrix of matrixRows(valueAt(task.job, 'strategy', 'matrix'))) {
    ends.push(await runSteps(key, { ...task, contexts: { ...task.contexts, matrix } }, runner));
  }
  return ends;
}

/** Runs a reusable workflow with its own inputs and secrets, and with the event and variables of its caller. */
async function callWorkflow(
  key: string,
  path: string,
  { workflow: caller, job, contexts }: JobTask,
  runner: Runner,
): Promise<readonly JobEnd[]> {
  const workflow = runner.called.get(path.replace(/^(?:\.|[^/]+\/[^/]+)\/(?=\.github\/)/u, '').replace(/@.*$/u, ''));
  const declared = valueAt(workflow, 'on', 'workflow_call');
  if (declared === undefined) throw new Error(`${path} is not a reusable workflow`);
  const own = Object.fromEntries(Object.entries(contexts).filter(([name]) => name !== 'needs'));
  const secrets = resolvedMapping(valueAt(job, 'secrets'), contexts);
  const given = resolvedMapping(valueAt(job, 'with'), contexts);
  const inputs = { ...defaultsOf(valueAt(declared, 'inputs')), ...given };
  for (const [kind, values] of [
    ['inputs', inputs],
    ['secrets', secrets],
  ] as const)
    checkDeclared(declared, kind, values);
  checkPermissions(permissionsOf(job, caller), workflow);
  const { jobs, outputs } = await runWorkflow(workflow, { ...own, inputs, secrets }, runner);
  const result = worst(jobs.map((end) => end.result));
  return [...jobs.map((end) => ({ ...end, key: `${key} / ${end.key}` })), { key, result, outputs, steps: [] }];
}

/** @throws Error if GitHub would refuse to start the workflow */
function checkDeclared(declared: unknown, kind: 'inputs' | 'secrets', given: Mapping): void {
  const all = valueAt(declared, kind);
  const names = isMapping(all) ? Object.keys(all) : [];
  const missing = names.filter((name) => valueAt(all, name, 'required') === true && !(name in given));
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (missing.length + unknown.length > 0)
    throw new Error(`the ${kind} of the called workflow: missing ${missing.join()}, unknown ${unknown.join()}`);
}

/** @throws Error if GitHub would refuse to start the workflow, because it wants more than its caller may */
function checkPermissions(given: unknown, called: unknown): void {
  const levels = ['none', 'read', 'write'];
  const levelOf = (permissions: unknown, name: string): number => levels.indexOf(textAt(permissions, name) ?? 'none');
  const jobs = valueAt(called, 'jobs');
  for (const job of isMapping(jobs) ? Object.values(jobs) : []) {
    const wanted = permissionsOf(job, called);
    const names = isMapping(wanted) ? Object.keys(wanted) : [];
    const refused = names.filter((name) => levelOf(wanted, name) > levelOf(given, name));
    if (refused.length > 0) throw new Error(`the caller lacks permissions of the called workflow: ${refused.join()}`);
  }
}

function defaultsOf(inputs: unknown): Mapping {
  if (!isMapping(inputs)) return {};
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, input]) =>
      valueAt(input, 'default') === undefined ? [] : [[name, valueAt(input, 'default')]],
    ),
  );
}

async function runSteps(key: string, { workflow, job, contexts }: JobTask, runner: Runner): Promise<JobEnd> {
  const folders = await runner.openJob();
  const inJob = {
    ...contexts,
    runner: { temp: folders.temp, os: 'Linux' },
    github: inWorkspace(contexts, folders, key),
  };
  const ofJob = { ...resolvedMapping(valueAt(workflow, 'env'), inJob), ...resolvedMapping(valueAt(job, 'env'), inJob) };
  const permissions = permissionsOf(job, workflow);
  const steps: Record<string, Mapping> = {};
  const ends: StepEnd[] = [];
  let failed = false;
  for (const step of listAt(job, 'steps')) {
    const known: Mapping = { ...inJob, steps, env: ofJob, job: { status: failed ? 'failure' : 'success' } };
    const environment = { ...ofJob, ...resolvedMapping(valueAt(step, 'env'), known) };
    const end: StepEnd = isConditionMet(valueAt(step, 'if'), known, { success: !failed, failure: failed })
      ? await runStep(step, { ...folders, environment, contexts: known, permissions }, runner)
      : skippedStep(step);
    ends.push(end);
    failed ||= end.conclusion === 'failure';
    const { outputs, outcome, conclusion } = end;
    steps[textAt(step, 'id') ?? ''] = { outputs, outcome, conclusion };
  }
  return {
    key,
    result: failed && valueAt(job, 'continue-on-error') !== true ? 'failure' : 'success',
    outputs: resolvedMapping(valueAt(job, 'outputs'), { ...inJob, steps }),
    steps: ends,
  };
}

function inWorkspace(contexts: Mapping, { workspace }: JobFolders, job: string): Mapping {
  const github = contexts['github'];
  return { ...(isMapping(github) ? github : {}), workspace, job };
}

type StepSurroundings = Pick<ReadyStep, 'environment' | 'contexts' | 'permissions' | 'workspace' | 'temp'>;

async function runStep(step: unknown, around: StepSurroundings, runner: Runner): Promise<StepEnd> {
  const action = textAt(step, 'uses');
  const script = textAt(step, 'run') ?? '';
  const runs = action === undefined ? { script } : { action };
  const run = await runner.run({ ...around, runs, inputs: resolvedMapping(valueAt(step, 'with'), around.contexts) });
  const outcome = run.succeeded ? 'success' : 'failure';
  const conclusion = valueAt(step, 'continue-on-error') === true ? 'success' : outcome;
  return { ...run, name: nameOf(step), outcome, conclusion };
}

function skippedStep(step: unknown): StepEnd {
  return { name: nameOf(step), succeeded: true, outputs: {}, log: '', outcome: 'skipped', conclusion: 'skipped' };
}

function nameOf(step: unknown): string {
  return textAt(step, 'name') ?? textAt(step, 'uses') ?? textAt(step, 'run') ?? '';
}

function needsOf(job: unknown): readonly string[] {
  const needs = valueAt(job, 'needs');
  return typeof needs === 'string' ? [needs] : listAt(job, 'needs').map(String);
}

function inOrderOfNeeds(jobs: Mapping): readonly string[] {
  const ordered: string[] = [];
  const left = new Set(Object.keys(jobs));
  while (left.size > 0) {
    const next = [...left].find((key) => needsOf(jobs[key]).every((name) => ordered.includes(name)));
    if (next === undefined) throw new Error(`the needs of the jobs ${[...left].join(', ')} form a cycle`);
    ordered.push(next);
    left.delete(next);
  }
  return ordered;
}

/** The combinations of a matrix of plain lists; one null if there is no matrix, as on GitHub. */
function matrixRows(matrix: unknown): readonly (Mapping | null)[] {
  if (!isMapping(matrix)) return [null];
  return Object.entries(matrix).reduce<readonly Mapping[]>(
    (rows, [name, values]) => {
      if (!Array.isArray(values) || name === 'include') throw new Error(`${name} of the matrix is not a plain list`);
      return rows.flatMap((row) => values.map((value: unknown) => ({ ...row, [name]: value })));
    },
    [{}],
  );
}

function worst(results: readonly Result[]): Result {
  return (['failure', 'success'] as const).find((result) => results.includes(result)) ?? 'skipped';
}

/** A mapping with the expressions of its texts replaced by their values; empty if there is none. */
function resolvedMapping(given: unknown, contexts: Mapping): Record<string, string> {
  if (!isMapping(given)) return {};
  return Object.fromEntries(
    Object.entries(given).map(
      ([name, value]) =>
        [name, resolveExpressions(typeof value === 'string' ? value : JSON.stringify(value), contexts)] as const,
    ),
  );
}
