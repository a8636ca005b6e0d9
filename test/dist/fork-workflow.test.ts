import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import { createSigningKey, type IdentityProvider, startIdentityProvider } from '../../tools/identity-provider.ts';
import { declareDocumentedLoginRules } from '../support/documented-login-rule.ts';
import { type ArtifactEntry, type FakeAction, fakeActions } from '../support/fake-actions.ts';
import { type GitFolder, gitFolder } from '../support/git-repository.ts';
import { itAsOnUbuntu } from '../support/platform.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call } from '../support/service-call.ts';
import { saveFlow } from '../support/service-samples.ts';
import { testsOfForkEnded } from '../support/workflow-events.ts';
import { type DocumentedWorkflowEnd, runDocumentedWorkflow } from '../support/workflow-fixture.ts';
import { workflowsIn } from '../support/workflows.ts';

const workflow = workflowsIn('examples').find(({ name }) => name === 'Compliance of pull requests')?.content;

let identityProvider: IdentityProvider;
let service: TestService;
let folder: GitFolder;

beforeAll(async () => {
  identityProvider = await startIdentityProvider(await createSigningKey('one'));
});

afterAll(async () => {
  await identityProvider.stop();
});

beforeEach(async () => {
  service = await startTestService({ options: { allowPrivateIssuers: true } });
  folder = gitFolder();
  await saveFlow(service);
});

afterEach(async () => {
  folder.remove();
  await service.stop();
});

/** What the scanner finds when it starts. */
interface Scanned {
  readonly ownSettings: string;
  readonly links: readonly string[];
  readonly foreignSettings: readonly string[];
}

interface Outcome {
  readonly end: DocumentedWorkflowEnd;
  readonly commit: string;
  readonly scans: readonly Scanned[];
}

const evilSettings = 'sonar.host.url=http://evil.example.com\nsonar.working.directory=..\n';

/** What a hostile pull request holds: files by their paths, and links by theirs. */
interface PullRequest {
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
}

/** Runs the workflow of the guide on a pull request that holds this, and whose tests uploaded that. */
async function attack({ files = {}, links = {} }: PullRequest, artifact: readonly ArtifactEntry[]): Promise<Outcome> {
  const fork = folder.repository('fork');
  const write = (path: string, make: (absolute: string) => void): void => {
    mkdirSync(dirname(join(fork, path)), { recursive: true });
    make(join(fork, path));
  };
  for (const [path, content] of Object.entries({ 'src/a.js': '', ...files }))
    write(path, (at) => {
      writeFileSync(at, content);
    });
  for (const [path, target] of Object.entries(links))
    write(path, (at) => {
      symlinkSync(target, at);
    });
  folder.git(fork, 'add', '--all');
  const commit = folder.commit(fork, 'feat: nothing to see here\n');

  const scans: Scanned[] = [];
  const checkout: FakeAction = async (step, context) => {
    if (step.inputs['repository'] === undefined) return fakeActions['actions/checkout']?.(step, context);
    folder.git(step.workspace, 'clone', '--quiet', fork, step.inputs['path'] ?? '');
    folder.git(join(step.workspace, step.inputs['path'] ?? ''), 'checkout', '--quiet', step.inputs['ref'] ?? '');
  };
  const scan: FakeAction = async (step, context) => {
    const source = join(step.workspace, 'source');
    scans.push({
      ownSettings: readFileSync(join(step.workspace, 'sonar-project.properties'), 'utf8'),
      links: pathsIn(source).filter((path) => lstatSync(join(source, path)).isSymbolicLink()),
      foreignSettings: pathsIn(source).filter((path) => path.endsWith('sonar-project.properties')),
    });
    await fakeActions['SonarSource/sonarqube-scan-action']?.(step, context);
  };
  const head: Mapping = {
    id: commit,
    message: 'feat: nothing to see here',
    timestamp: '2026-01-02T03:04:05Z',
    author: { name: 'Mallory', email: 'm@example.com' },
  };
  const end = await runDocumentedWorkflow(workflow, {
    run: testsOfForkEnded({ head_sha: commit, head_commit: head }),
    vars: { COMPLIANCE_BASE_URL: service.baseUrl },
    secrets: { SONAR_TOKEN: 'squ_user_token_0123' },
    identityProvider,
    gate: 'OK',
    artifacts: { coverage: artifact },
    fakeActions: { 'actions/checkout': checkout, 'SonarSource/sonarqube-scan-action': scan },
  });
  return { end, commit, scans };
}

function pathsIn(source: string): readonly string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.git'));
}

const coverage: ArtifactEntry = { path: 'lcov.info', content: 'TN:\n' };
const settings: ArtifactEntry = { path: 'sonar-project.properties', content: evilSettings };

describe('the workflow for pull requests from forks', () => {
  itAsOnUbuntu('scans and attests a hostile pull request by the settings of the project', async () => {
    const { baseUrl, apiKey } = service;
    const reader = { baseUrl, apiKey, issuer: identityProvider.issuer };
    await declareDocumentedLoginRules('docs/how-to/connect.md', { ...reader, event: 'workflow_run' });
    const { end, commit, scans } = await attack(
      {
        files: { 'sonar-project.properties': evilSettings, 'module/sonar-project.properties': evilSettings },
        links: {
          coverage: '..',
          '.scannerwork': '..',
          'src/environment.js': '/proc/self/environ',
          'src/own.js': '../../sonar-project.properties',
        },
      },
      [coverage],
    );
    expect(end.jobs).toMatchObject([{ result: 'success' }]);
    expect(scans).toEqual([{ ownSettings: 'sonar.projectKey=acme:widgets\n', links: [], foreignSettings: [] }]);
    expect(end.statuses).toMatchObject([{ sha: commit, state: 'success' }]);
    const { body } = await call(service, { path: `/attestations/${service.org}/web` });
    expect(JSON.stringify(body)).toContain(commit);
  });

  itAsOnUbuntu.each<readonly [string, readonly ArtifactEntry[]]>([
    ['brings settings along', [coverage, settings]],
    ['is a link', [{ path: 'lcov.info', link: '/etc/hostname' }]],
    ['brings a link along', [coverage, { path: 'other', link: '/etc' }]],
    ['has a folder in place of the file', [{ path: 'lcov.info/a', content: '' }]],
    ['is empty', []],
    ['has the file elsewhere', [{ path: 'coverage/lcov.info', content: '' }]],
    ['has a name of two lines', [coverage, { path: 'a\nf lcov.info', content: '' }]],
  ])('stops before the scan if the artifact %s', async (_what, artifact) => {
    const { end, scans } = await attack({ links: { coverage: '..' } }, artifact);
    expect(end.jobs).toMatchObject([{ result: 'failure' }]);
    expect(end.jobs[0]?.steps.map(({ log }) => log).join('')).toContain('::error::The artifact "coverage" must be');
    expect(scans).toEqual([]);
    expect(end.statuses).toEqual([]);
  });
});
