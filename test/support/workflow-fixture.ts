import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findRunRestriction } from '../../src/evidence/github/run-restriction.ts';
import { type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { type IdentityProvider, jobClaims } from '../../tools/identity-provider.ts';
import { parseOutputs, runAction } from '../../tools/run-action.ts';
import { shas } from './events.ts';
import { resolveExpressions } from './expressions.ts';
import {
  type ArtifactEntry,
  type Artifacts,
  type Attestations,
  type FakeAction,
  fakeActions,
  writeCommands,
} from './fake-actions.ts';
import { apiCommit, type FakeGitHub, type GitHubReply, startGitHub } from './fake-github.ts';
import { githubRepository, type KeptComment, type KeptStatus } from './fake-github-repository.ts';
import type { FakeRequest } from './fake-server.ts';
import { type FakeSonar, startSonarServer } from './fake-sonar.ts';
import { jobEnvironment, jobOf } from './job.ts';
import { fixedInputs, type OwnAction, parseOwnAction } from './own-action.ts';
import { actionEntries } from './repository.ts';
import {
  type JobFolders,
  type ReadyStep,
  type Runner,
  runWorkflow,
  type StepRun,
  type WorkflowEnd,
} from './workflow-engine.ts';
import type { TriggeringEvent } from './workflow-trigger.ts';
import { documentedWorkflows, pathOf } from './workflows.ts';

/** The settings of a run of a documented workflow. */
export interface WorkflowSettings {
  readonly run: TriggeringEvent;
  /** The variables of the repository in addition to `SONAR_HOST_URL`. */
  readonly vars: Readonly<Record<string, string>>;
  /** The secrets; empty for a run without access to them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Stands for GitHub, which signs identity tokens for jobs with `id-token: write`. Default: jobs get none. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** The status of the quality gate of a scan. */
  readonly gate: 'OK' | 'ERROR';
  /** The artifacts of the run that `download-artifact` names. */
  readonly artifacts?: Readonly<Record<string, readonly ArtifactEntry[]>>;
  /** The output of `kubectl get pods`. */
  readonly pods?: unknown;
  /** The artifacts of an earlier run with the id 4242 that a push of `shas.head` started. */
  readonly earlier?: Artifacts;
  /** The attestations of the repository, to which the run adds. */
  readonly attestations?: Attestations;
  /** Used instead of the default fakes. */
  readonly fakeActions?: Readonly<Record<string, FakeAction>>;
}

/** How a workflow ended, and what it wrote to GitHub. */
export interface DocumentedWorkflowEnd extends WorkflowEnd {
  readonly statuses: readonly KeptStatus[];
  readonly comments: readonly KeptComment[];
  /** What was asked of GitHub without the permission, or in a form that GitHub does not take. */
  readonly breaches: readonly string[];
  /** What the run has uploaded, and `artifacts` of its settings. */
  readonly artifacts: Artifacts;
}

/**
 * Runs a workflow of the documentation: steps of this action through `dist/`, scripts by bash, the actions of others by
 * stand-ins, with the event that starts it, and with stand-ins for Sonar, GitHub's API and GitHub's identity tokens.
 */
export async function runDocumentedWorkflow(
  workflow: unknown,
  settings: WorkflowSettings,
): Promise<DocumentedWorkflowEnd> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'workflow-')));
  const repository = githubRepository({ history: [{ sha: shas.head }] });
  const [sonar, github] = await Promise.all([startSonarServer(), startGitHub(githubAnswers(), { repository })]);
  try {
    const { gate, pods = {}, earlier, attestations = new Map<never, never>() } = settings;
    const runs = earlier === undefined ? {} : { [earlierRun]: earlier };
    await writeCommands(join(folder, 'bin'), { gate, pods, runs, attestations });
    const fixture = new WorkflowFixture(settings, folder, sonar, github, textAt(workflow, 'name') ?? '');
    const end = await runWorkflow(workflow, fixture.contexts(), fixture);
    const { comments, statuses } = repository;
    const { artifacts } = fixture;
    return { ...end, comments, statuses, artifacts, breaches: [...github.breaches, ...fixture.forbidden] };
  } finally {
    await Promise.all([sonar.close(), github.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const earlierRun = '4242';

/** What GitHub says about the commits, and about the earlier run. */
function githubAnswers(): Readonly<Record<string, GitHubReply>> {
  const commits = [shas.head, shas.base].map((sha) => {
    const path = `/repos/acme/widgets/commits/${sha}?per_page=1`;
    return [path, { status: 200, body: apiCommit(sha) }] as const;
  });
  const repository = { full_name: 'acme/widgets' };
  const run = {
    id: Number(earlierRun),
    run_attempt: 2,
    event: 'push',
    head_branch: 'main',
    head_sha: shas.head,
    repository,
    head_repository: repository,
    actor: { login: 'ann' },
    created_at: new Date(Date.now() - 60_000).toISOString(),
  };
  const runs = [`/repos/acme/widgets/actions/runs/${earlierRun}`, { status: 200, body: run }] as const;
  return Object.fromEntries([...commits, runs]);
}

/** The documented workflows by path, because reusable workflows are called by path. */
const called = new Map(documentedWorkflows().map((found) => [pathOf(found) ?? found.where, found.content]));

class WorkflowFixture implements Runner {
  readonly called = called;
  /** Calls of GitHub's API that the job's permissions do not allow. */
  readonly forbidden: string[] = [];
  readonly #settings: WorkflowSettings;
  readonly #folder: string;
  readonly #sonar: FakeSonar;
  readonly #github: FakeGitHub;
  readonly #variables: Readonly<Record<string, string>>;
  /** The artifacts of the run. */
  readonly artifacts: Map<string, readonly ArtifactEntry[]>;

  constructor(settings: WorkflowSettings, folder: string, sonar: FakeSonar, github: FakeGitHub, workflow: string) {
    this.#settings = settings;
    this.#folder = folder;
    this.#sonar = sonar;
    this.#github = github;
    this.artifacts = new Map(Object.entries(settings.artifacts ?? {}));
    const all = {
      ...jobEnvironment,
      ...settings.run.variables,
      GITHUB_EVENT_NAME: settings.run.eventName,
      GITHUB_WORKFLOW: workflow,
      GITHUB_API_URL: github.url,
    };
    this.#variables = Object.fromEntries(
      Object.entries<string | undefined>(all).map(([name, value]) => [name, value ?? '']),
    );
  }

  contexts(): Mapping {
    const { run, vars, secrets } = this.#settings;
    const github = Object.entries(this.#variables).map(([name, value]) => [
      name.replace('GITHUB_', '').toLowerCase(),
      value,
    ]);
    return {
      github: { ...Object.fromEntries(github), event: run.event, token: jobToken },
      vars: { SONAR_HOST_URL: this.#sonar.url, ...vars },
      secrets: { ...secrets, GITHUB_TOKEN: jobToken },
      inputs: valueAt(run.event, 'inputs') ?? null,
    };
  }

  async openJob(): Promise<JobFolders> {
    const job = await mkdtemp(join(this.#folder, 'job-'));
    const folders = { workspace: join(job, 'workspace'), temp: join(job, 'temp') };
    await Promise.all([mkdir(folders.workspace), mkdir(folders.temp)]);
    return folders;
  }

  async run(step: ReadyStep): Promise<StepRun> {
    if ('script' in step.runs) return this.#runScript(step.runs.script, step);
    const [name = ''] = step.runs.action.split('@');
    const own = parseOwnAction(step.runs.action);
    if (own !== undefined) return this.#runAction(step, own);
    const fakeAction = this.#settings.fakeActions?.[name] ?? fakeActions[name];
    if (fakeAction === undefined) throw new Error(`there is no fake of ${name} in test/support/fake-actions.ts`);
    const { gate, run, attestations = new Map() } = this.#settings;
    const { artifacts } = this;
    const context = { ...run, variables: this.#variables, sonar: this.#sonar, gate, artifacts, attestations };
    return fakeAction(step, context).then(
      () => ({ succeeded: true, outputs: {}, log: '' }),
      (error: unknown) => ({ succeeded: false, outputs: {}, log: `${name}: ${String(error)}` }),
    );
  }

  async #runAction(step: ReadyStep, own: OwnAction): Promise<StepRun> {
    const asked = this.#github.requests.length;
    const inputs = { ...defaultInputs(step.contexts), ...withShortWait(step.inputs), ...fixedInputs(own) };
    const environment = { ...this.#environment(step), ...step.environment };
    const action = await runAction({ inputs, environment, event: this.#settings.run.event });
    for (const request of this.#github.requests.slice(asked)) {
      const needed = permissionFor(request);
      if (needed === undefined) continue;
      const [permission, access] = needed;
      const given = valueAt(step.permissions, permission);
      if (given !== access && given !== 'write')
        this.forbidden.push(`${request.method} ${request.url} needs ${permission}: ${access}`);
    }
    const { exitCode, outputs, log, errorLog } = action;
    return { succeeded: exitCode === 0, outputs, log: log + errorLog, action };
  }

  async #runScript(script: string, step: ReadyStep): Promise<StepRun> {
    const folder = await mkdtemp(join(this.#folder, 'step-'));
    const [file, output] = [join(folder, 'script.sh'), join(folder, 'output')];
    await Promise.all([writeFile(file, script), writeFile(output, '')]);
    const path = [join(this.#folder, 'bin'), process.env['PATH']].join(delimiter);
    const environment = { ...this.#environment(step), PATH: path, GITHUB_OUTPUT: output, ...step.environment };
    const ended = await bash(['-e', file], environment, step.workspace);
    return { ...ended, outputs: scriptOutputs(await readFile(output, 'utf8')) };
  }

  #environment({ workspace, temp, contexts, permissions }: ReadyStep): Record<string, string> {
    const job = textAt(contexts, 'github', 'job') ?? '';
    const paths = { GITHUB_WORKSPACE: workspace, RUNNER_TEMP: temp };
    return { ...this.#variables, GITHUB_JOB: job, ...paths, ...this.#tokenVariables(permissions) };
  }

  /** GitHub gives runs for pull requests of forks no identity tokens, whatever their permissions say. */
  #tokenVariables(permissions: unknown): Readonly<Record<string, string>> {
    const { identityProvider, run } = this.#settings;
    const isOfFork = findRunRestriction(jobOf(run.eventName, run.event, this.#variables)) === 'fork';
    if (identityProvider === undefined || valueAt(permissions, 'id-token') !== 'write' || isOfFork) return {};
    return identityProvider.openJob(jobClaims(this.#variables));
  }
}

const jobToken = 'the-token-of-the-job';

/** The defaults of action.yml with their expressions replaced by values. */
function defaultInputs(contexts: Mapping): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...actionEntries('inputs')].flatMap(([name, entry]) => {
      const value = textAt(entry, 'default');
      return value === undefined ? [] : [[name, resolveExpressions(value, contexts)]];
    }),
  );
}

/**
 * Shortens waits. What a gate waits for exists already, so a longer wait is a failure. A service that is down stays so.
 */
function withShortWait(inputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { wait, 'retry-for': retryFor } = inputs;
  return {
    ...inputs,
    ...(wait === undefined ? {} : { wait: String(Math.min(Number(wait), 2)) }),
    ...(retryFor === undefined ? {} : { 'retry-for': '1s' }),
  };
}

/**
 * The permission that a call of GitHub's API needs (GitHub's documentation, "Permissions required for GitHub Apps").
 */
function permissionFor({ method, url }: FakeRequest): readonly [string, string] | undefined {
  const [, area = ''] = /^\/repos\/acme\/widgets\/(\w+)/u.exec(url) ?? [];
  // Any token may request its own user.
  if (area === '') return undefined;
  const access = method === 'GET' ? 'read' : 'write';
  if (area === 'statuses' || area === 'actions') return [area, access];
  return area === 'issues' || area === 'pulls' ? ['pull-requests', access] : ['contents', 'read'];
}

/** Runs bash as GitHub runs a step, and stops it after ten seconds. */
function bash(words: readonly string[], env: Record<string, string>, cwd: string): Promise<Omit<StepRun, 'outputs'>> {
  return new Promise((resolve) => {
    execFile('bash', words, { env, cwd, timeout: 10_000 }, (error, stdout, stderr) => {
      resolve({ succeeded: error === null, log: stdout + stderr });
    });
  });
}

/** Parses the outputs of a script: `name=value`, or the format of the toolkit. */
function scriptOutputs(text: string): Readonly<Record<string, string>> {
  if (text.includes('<<')) return parseOutputs(text);
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
