import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { errorMessage } from '../src/runtime/failure.ts';
import { isMapping, valueAt } from '../src/runtime/untrusted-data.ts';
import { formatLog } from './format-output.ts';
import { runAction } from './run-action.ts';

// `npm run step -- OPERATION --INPUT VALUE …`: runs a step of the built action in a git repository, as a runner does.

const usage = `Usage: npm run step -- OPERATION [--INPUT VALUE]...

Runs a step of the action in the git repository that this is called from, as a runner of GitHub does for a push of the
commit that is checked out. Prints its log and its outputs, and ends with its exit code. Inputs are those of the action,
such as --flow web; the connection can also be set in COMPLIANCE_BASE_URL, COMPLIANCE_API_TOKEN and COMPLIANCE_ORG.
Variables that are set already, such as GITHUB_SHA or HTTPS_PROXY, are kept.`;

/** npm changes the working directory, and sets INIT_CWD to the one that it was called from. */
const folder = process.env['INIT_CWD'] ?? process.cwd();

/** What a runner passes on to a step: the job, the connection, and how to reach servers. */
const passedOn = /^(?:GITHUB_|COMPLIANCE_|(?:https?|no)_proxy$|NODE_EXTRA_CA_CERTS$|DOCKER_CONFIG$)/iu;

/** The files of the step itself, which are not those of a job that runs this. */
const ownFiles: ReadonlySet<string> = new Set(['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY']);

const help = { name: 'help', inputs: {} } as const;

try {
  const { name, inputs } = parseStep(process.argv.slice(2));
  if (name === help.name) console.log(usage);
  else await runStep(name, inputs);
} catch (error) {
  console.error(`${errorMessage(error)}\n\n${usage}`);
  process.exitCode = 2;
}

/** @throws TypeError if an input is unknown or has no value */
function parseStep(words: readonly string[]): { readonly name: string; readonly inputs: Record<string, string> } {
  if (words.length === 0 || words.includes('--help')) return help;
  const { values, positionals } = parseArgs({
    options: Object.fromEntries(listInputs().map((name) => [name, { type: 'string' as const }])),
    args: [...words],
    allowPositionals: true,
  });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) throw new TypeError('Name one operation.');
  const given = Object.entries(values).flatMap(([input, value]) =>
    typeof value === 'string' ? [[input, value] as const] : [],
  );
  return { name, inputs: Object.fromEntries(given) };
}

function listInputs(): readonly string[] {
  const inputs = valueAt(load(readFileSync(join(import.meta.dirname, '..', 'action.yml'), 'utf8')), 'inputs');
  return isMapping(inputs) ? Object.keys(inputs) : [];
}

async function runStep(operation: string, inputs: Readonly<Record<string, string>>): Promise<void> {
  const run = await runAction({ inputs: { ...inputs, operation }, environment: keepGiven(describePush()) });
  console.log(formatLog(run.log));
  if (run.errorLog !== '') console.error(run.errorLog.trimEnd());
  // The file of the response is removed with the runner's other files, and the response can be long.
  const short = Object.entries(run.outputs).filter(
    ([name, value]) => !name.startsWith('response') && /^[^\n{]+$/u.test(value),
  );
  console.log(['', 'Outputs:', ...short.map(([name, value]) => `  ${name}: ${value}`)].join('\n'));
  process.exitCode = run.exitCode ?? 1;
}

/** The variables of a job for a push of the commit that is checked out. */
function describePush(): Record<string, string> {
  // Empty if no branch is checked out; the action then asks git which branch has the commit.
  const branch = git('branch', '--show-current') ?? 'main';
  const [, repository = `local/${basename(folder)}`] =
    /[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?$/u.exec(git('remote', 'get-url', 'origin') ?? '') ?? [];
  return {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: branch === '' ? '' : `refs/heads/${branch}`,
    GITHUB_REF_NAME: branch,
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: repository,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: git('rev-parse', 'HEAD') ?? '',
    GITHUB_WORKSPACE: folder,
  };
}

/** What git prints; undefined if it fails. */
function git(...parameters: readonly string[]): string | undefined {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', parameters, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }).trim();
  } catch {
    return undefined;
  }
}

/** The variables, replaced by those of this process. */
function keepGiven(variables: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(process.env).flatMap(([name, value = '']) =>
    passedOn.test(name) && !ownFiles.has(name) ? [[name, value] as const] : [],
  );
  return { ...variables, ...Object.fromEntries(given) };
}
