import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { clientProgram } from '../../tools/public-client/public-client.ts';
import { type ActionRun, runAction } from '../../tools/run-action.ts';
import { pushEvent, webhookCommit } from './events.ts';
import { startGitHub } from './fake-github.ts';
import { startSonarServer } from './fake-sonar.ts';
import { type GitFolder, gitFolder } from './git-repository.ts';
import { jobEnvironment } from './job.ts';
import { type PlatformStandIns, startPlatforms } from './platform-stand-ins.ts';
import { pullRequestAnswers } from './pull-request-answers.ts';
import { type RecordedAnswer, startRecordingProxy } from './recording-proxy.ts';
import { startTestService, type TestService } from './service.ts';
import { finishedAnalysis, reportText } from './sonar-analysis.ts';

/** The results of a command of the public client. */
export interface ClientRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errorOutput: string;
  /** The service's answers to it, in order. */
  readonly answers: readonly RecordedAnswer[];
}

/**
 * A job of acme/widgets on a runner of GitHub Actions, whose steps are commands of the public client: a git repository
 * with one commit, a real service, and stand-ins for GitHub, Sonar and the platforms that run artifacts.
 */
export interface ClientSession {
  readonly service: TestService;
  /** The folder of the repository, in which the commands run. */
  readonly folder: string;
  readonly commit: string;
  /** The variables of the job. */
  readonly variables: Readonly<Record<string, string>>;
  /** The platforms that run artifacts. */
  readonly platforms: PlatformStandIns;
  readonly write: (path: string, content: string) => void;
  /** Makes a value known to the commands that follow. */
  readonly remember: (name: string, value: string) => void;
  /** Runs a command: its words, separated by spaces, with values in braces. Its options override those of the session. */
  run(command: string): Promise<ClientRun>;
  /** Runs the built action as a step of the same job, with values in braces in its inputs. */
  step(inputs: Readonly<Record<string, string>>): Promise<ActionRun>;
  close(): Promise<void>;
}

/** The fingerprint of a file with this content. */
export function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Opens a session. The caller must close it. */
export async function openClientSession(): Promise<ClientSession> {
  const git = gitFolder();
  const { folder, commit } = createRepository(git);
  const service = await startTestService();
  const proxy = await startRecordingProxy(service.baseUrl);
  const sonar = await startSonarServer({ state: finishedAnalysis(commit) });
  const github = await startGitHub(pullRequestAnswers(commit));
  const platforms = await startPlatforms();
  const home = await mkdtemp(join(tmpdir(), 'client-home-'));
  const write: ClientSession['write'] = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('.scannerwork/report-task.txt', reportText(sonar.url));
  write('kubeconfig', platforms.kubeconfig);
  const variables = {
    ...(jobEnvironment as Readonly<Record<string, string>>),
    // The public client recognises GitHub Actions by the number of the run.
    GITHUB_RUN_NUMBER: '7',
    GITHUB_REPOSITORY_OWNER: 'acme',
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_SHA: commit,
    GITHUB_WORKSPACE: folder,
  };
  const values = new Map(Object.entries({ commit, github: github.url, sonar: sonar.url, service: service.url }));
  let runs = 0;
  return {
    service,
    folder,
    commit,
    variables,
    platforms,
    write,
    remember: (name, value) => {
      values.set(name, value);
    },
    async run(command) {
      const label = `run${(runs += 1)}`;
      const host = proxy.baseUrlFor(label).replace(/\/api\/v2$/u, '');
      const connection = [
        '--host',
        host,
        '--org',
        service.org,
        '--api-token',
        service.apiKey,
        '--max-api-retries',
        '0',
      ];
      const ended = await execute([...connection, ...fillIn(command, values).split(' ')], {
        folder,
        variables: { ...variables, ...platforms.variables, PATH: process.env['PATH'] ?? '', HOME: home },
      });
      return { ...ended, answers: proxy.answersTo(label) };
    },
    step: (inputs) =>
      runAction({
        inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, fillIn(value, values)])),
        environment: {
          ...variables,
          GITHUB_API_URL: github.url,
          COMPLIANCE_BASE_URL: service.baseUrl,
          COMPLIANCE_API_TOKEN: service.apiKey,
          COMPLIANCE_ORG: service.org,
        },
        event: pushEvent({ after: commit, head_commit: webhookCommit(commit) }),
      }),
    async close() {
      await Promise.all([platforms, github, sonar, proxy].map((server) => server.close()));
      await service.stop();
      await rm(home, { recursive: true, force: true });
      git.remove();
    },
  };
}

function createRepository(git: GitFolder): { readonly folder: string; readonly commit: string } {
  const folder = git.repository('widgets');
  git.git(folder, 'remote', 'add', 'origin', 'https://github.com/acme/widgets.git');
  return { folder, commit: git.commit(folder, 'feat: first\n\nbody line of SHOP-7\n') };
}

/** Replaces the names in braces. */
function fillIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/gu, (given, name: string) => values.get(name) ?? given);
}

function execute(
  words: readonly string[],
  options: { readonly folder: string; readonly variables: Readonly<Record<string, string>> },
): Promise<Pick<ClientRun, 'exitCode' | 'output' | 'errorOutput'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(clientProgram, words, {
      cwd: options.folder,
      env: { ...options.variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errorOutput = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      resolve({ exitCode, output, errorOutput });
    });
  });
}
