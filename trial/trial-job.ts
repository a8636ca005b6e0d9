import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { formatLog, formatSummary, listReasons } from '../tools/format-output.ts';
import { type ActionRun, runAction } from '../tools/run-action.ts';

const root = join(import.meta.dirname, '..');

/** The expected result of a step. */
export interface Expected {
  readonly exitCode: number;
  readonly outputs: Readonly<Record<string, string>>;
  /** What the job summary must name. */
  readonly names?: readonly string[];
}

/**
 * Runs a step, prints how it ended, in full if that was not expected, and returns what was not as expected.
 */
export type RunStep = (
  title: string,
  inputs: Readonly<Record<string, string>> & { readonly operation: string },
  expected: Expected,
) => Promise<readonly string[]>;

/** What the steps of a job have in common. */
export interface TrialJob {
  readonly baseUrl: string;
  readonly key: string;
  readonly org: string;
  readonly githubUrl: string;
  readonly workspace: string;
  readonly sha: string;
  /** The file that gets the log and the summary of each step. */
  readonly logFile: string;
}

/** A step that passes and has no verdict. */
export function done(outputs: Expected['outputs'] = {}): Expected {
  return { exitCode: 0, outputs: { outcome: 'done', compliant: '', ...outputs } };
}

/** A step that passes with the verdict compliant. */
export function passed(outputs: Expected['outputs'] = {}): Expected {
  return { exitCode: 0, outputs: { outcome: 'compliant', compliant: 'true', ...outputs } };
}

/** A step that fails by its verdict, and names the reasons. */
export function failed(outcome: 'non-compliant' | 'incomplete', names: readonly string[] = []): Expected {
  return { exitCode: 1, outputs: { outcome, compliant: 'false' }, names };
}

/** Opens a job for a push. A step uses the action of its operation if there is one, otherwise the root action. */
export function openTrialJob(job: TrialJob): RunStep {
  const environment = jobEnvironment(job);
  return async (title, inputs, expected) => {
    const { operation, ...others } = inputs;
    const entry = join(root, 'actions', operation, 'index.cjs');
    const isOwn = existsSync(entry);
    const result = await runAction({
      inputs: isOwn ? others : inputs,
      environment: { ...environment, GITHUB_ACTION: title.toLowerCase().replaceAll(/\W+/gu, '_') },
      event: pushEvent(job),
      ...(isOwn ? { program: [process.execPath, entry] } : {}),
    });
    const uses = isOwn ? `actions/${operation}` : `the root action, operation: ${operation}`;
    const report = [`=== ${title}`, `uses: ${uses}`, formatLog(result.log) + result.errorLog.trimEnd()];
    const whole = [...report, '--- Job summary', formatSummary(result.summary), ''].join('\n\n');
    await appendFile(job.logFile, whole);
    const surprises = compare(title, result, expected);
    const mark = result.exitCode === 0 ? styleText('green', '✓') : styleText('red', '✗');
    console.log([`  ${mark} ${title}`, ...listReasons(result).map((reason) => `      ${reason}`)].join('\n'));
    if (surprises.length > 0) console.error(`\n${whole}`);
    return surprises;
  };
}

function compare(title: string, result: ActionRun, { exitCode, outputs, names = [] }: Expected): readonly string[] {
  const different = Object.entries(outputs).filter(([name, value]) => result.outputs[name] !== value);
  return [
    ...(result.exitCode === exitCode ? [] : [`${title}: ended with ${String(result.exitCode)} instead of ${exitCode}`]),
    ...different.map(
      ([name, value]) => `${title}: output ${name} is ${String(result.outputs[name])} instead of ${value}`,
    ),
    ...names
      .filter((name) => !formatSummary(result.summary).includes(name))
      .map((name) => `${title}: the job summary does not name "${name}"`),
    ...(result.summary === '' ? [`${title}: there is no job summary`] : []),
  ];
}

/** The variables of a job for a push. The common inputs are set once, as under `env:` of the job. */
function jobEnvironment({ baseUrl, key, org, githubUrl, sha, workspace }: TrialJob): Record<string, string> {
  return {
    COMPLIANCE_BASE_URL: baseUrl,
    COMPLIANCE_API_TOKEN: key,
    COMPLIANCE_ORG: org,
    GITHUB_ACTOR: 'trial',
    GITHUB_API_URL: githubUrl,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_JOB: 'trial',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: 'example/web',
    GITHUB_REPOSITORY_ID: '1',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: sha,
    GITHUB_WORKFLOW: 'trial',
    GITHUB_WORKSPACE: workspace,
  };
}

/** The parts of GitHub's payload of a push that a step reads. */
function pushEvent({ sha }: TrialJob): unknown {
  return {
    ref: 'refs/heads/main',
    after: sha,
    deleted: false,
    head_commit: null,
    commits: [],
    repository: { id: 1, name: 'web', full_name: 'example/web', default_branch: 'main' },
  };
}
