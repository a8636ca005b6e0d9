import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, openActionJob, type StepOptions } from '../support/action-job.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { eventRuns } from '../support/event-runs.ts';
import { issueCommentEvent, pullRequestEvent, pushEvent, shas } from '../support/events.ts';
import { apiCommit, type FakeGitHub, startGitHub } from '../support/fake-github.ts';
import { type GitFolder, gitFolder } from '../support/git-repository.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';

let job: ActionJob;
let github: FakeGitHub;
let repositories: GitFolder;
const keep = closeAfterEach();

beforeAll(async () => {
  [job, github] = await Promise.all([openActionJob(), startGitHub(answers)]);
  repositories = gitFolder();
});

afterAll(async () => {
  repositories.remove();
  await Promise.all([job.close(), github.close()]);
});

/** What GitHub answers about the commits of runs, at the paths of github.com and of GHES. */
const answers = Object.fromEntries(
  ['', '/api/v3'].flatMap((base) => [
    ...[shas.head, shas.base].map((sha) => {
      const path = `${base}/repos/acme/widgets/commits/${sha}?per_page=1`;
      return [path, { status: 200, body: apiCommit(sha) }] as const;
    }),
    [
      `${base}/repos/acme/widgets/pulls/12`,
      { status: 200, body: { number: 12, head: { sha: shas.head, ref: 'feature/lid' } } },
    ] as const,
  ]),
);

interface Attested {
  readonly result: ActionRun;
  /** The attestation as the service lists it. */
  readonly listed: unknown;
  /** The SHA and the address of the commit, as the service's page shows them. */
  readonly commit: { readonly sha: string | undefined; readonly url: string | undefined };
}

/** Attests an analysis of this commit in a flow of its own, and reads what is on record then. */
async function attest(
  sha: string,
  { variables, ...options }: StepOptions,
  inputs: Readonly<Record<string, string>> = {},
): Promise<Attested> {
  const flow = await job.flow('sonar');
  const report = `sonar-${flow}.json`;
  await job.workspace.write(report, JSON.stringify(webhookPayloadWith('OK', sha)));
  const path = `${job.workspace.path}/${report}`;
  const result = await job.step(
    {
      operation: 'attest-sonar',
      flow,
      'sonar-report-path': path,
      'unverified-revision': 'warn',
      'github-token': 'the-token-of-the-job',
      ...inputs,
    },
    { variables: { GITHUB_API_URL: github.url, ...variables }, ...options },
  );
  const page: unknown = await (await job.ask(`/attestations/${job.service.org}/${flow}`)).json();
  const [listed] = listAt(page, 'data');
  const [, url, shown] = /<a href="([^"]*\/commit\/[^"]*)"[^>]*>([^<]*)<\/a>/u.exec(await shownAt(listed)) ?? [];
  return { result, listed, commit: { sha: shown, url } };
}

/** The page of an attestation; empty if nothing was recorded. */
async function shownAt(listed: unknown): Promise<string> {
  const address = textAt(listed, 'html_url');
  if (address === undefined) return '';
  const page = await fetch(address, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
  return page.text();
}

/** The trail in the address of the attestation's page. */
function trailOf(listed: unknown): string | undefined {
  return /\/trails\/([^/]+)\//u.exec(textAt(listed, 'html_url') ?? '')?.[1];
}

function provenance(eventName: string, changes: Mapping = {}): Mapping {
  return {
    repository: 'acme/widgets',
    workflow: 'CI',
    job: 'build',
    event_name: eventName,
    run_id: '4242',
    run_attempt: '2',
    actor: 'ann',
    triggering_actor: 'bob',
    ...changes,
  };
}

const runPage = 'https://github.com/acme/widgets/actions/runs/4242';

describe('attest-sonar, on every event', () => {
  it.concurrent.each(eventRuns)('records the commit, the run and its origin on $title', async (run) => {
    // A pull request that is only named has its head from GitHub's API.
    const sha = textAt(run.judged, 'sha') ?? shas.head;
    const { result, listed, commit } = await attest(sha, {
      event: run.event,
      variables: { ...run.variables, GITHUB_EVENT_NAME: run.eventName },
    });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
    expect(commit).toEqual({ sha, url: `https://github.com/acme/widgets/commit/${sha}` });
    expect(trailOf(listed)).toBe(sha);
    expect(listed).toMatchObject({
      origin_url: `${runPage}/attempts/2`,
      user_data: { github: provenance(run.eventName) },
    });
  });
});

describe('attest-sonar, wherever the job runs', () => {
  const onPullRequest: StepOptions = {
    event: pullRequestEvent(),
    variables: {
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_SHA: shas.merge,
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_HEAD_REF: 'feature/lid',
    },
  };

  it('links to the attempt of a re-run, and says who asked for it', async () => {
    const again = { GITHUB_RUN_ATTEMPT: '3', GITHUB_TRIGGERING_ACTOR: 'carol' };
    const { listed } = await attest(shas.head, { event: pushEvent(), variables: again });
    expect(listed).toMatchObject({
      origin_url: `${runPage}/attempts/3`,
      user_data: { github: { run_attempt: '3', actor: 'ann', triggering_actor: 'carol' } },
    });
  });

  it('names the branch of a fork with its owner, on the pull request and on a comment to it', async () => {
    const event = pullRequestEvent({ fork: true });
    const commit = `/repos/acme/widgets/commits/${shas.head}?per_page=1`;
    const answering = {
      [commit]: { status: 200, body: apiCommit(shas.head) },
      '/repos/acme/widgets/pulls/12': { status: 200, body: valueAt(event, 'pull_request') },
    };
    const server = keep(await startGitHub(answering));
    const comment = {
      event: issueCommentEvent('pull request'),
      variables: { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_SHA: shas.base },
    };
    for (const run of [{ ...onPullRequest, event }, comment]) {
      const variables = { ...run.variables, GITHUB_API_URL: server.url };
      const { result } = await attest(shas.head, { ...run, variables }, { 'dry-run': 'true' });
      expect(valueAt(result.response, 'request', 'json', 'document', 'git_commit_info')).toMatchObject({
        sha1: shas.head,
        branch: 'forker:feature/lid',
      });
    }
  });

  it('keeps the jobs of a matrix apart by the names of their attestations', async () => {
    const names = ['web.sonar', 'api.sonar'];
    const all = await Promise.all(
      names.map((name) => attest(shas.head, onPullRequest, { 'attestation-name': name, trail: 'matrix' })),
    );
    for (const { listed } of all) {
      expect(listed).toMatchObject({ attestation_name: 'sonar', user_data: { github: { job: 'build' } } });
      expect(trailOf(listed)).toBe('matrix');
    }
  });

  it('takes the event and the names of the caller in a called workflow', async () => {
    const { listed, commit } = await attest(shas.head, {
      ...onPullRequest,
      variables: {
        ...onPullRequest.variables,
        GITHUB_WORKFLOW: 'Caller',
        GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/caller.yml@refs/pull/12/merge',
        GITHUB_JOB: 'gate',
      },
    });
    expect(commit.sha).toBe(shas.head);
    expect(listed).toHaveProperty('user_data.github', provenance('pull_request', { workflow: 'Caller', job: 'gate' }));
  });

  it('lets a composite action leave inputs empty, and takes the connection from the job then, but not what is judged', async () => {
    const { result, listed } = await attest(
      shas.head,
      {
        ...onPullRequest,
        variables: {
          ...onPullRequest.variables,
          GITHUB_ACTION: '__acme_gate',
          GITHUB_ACTION_PATH: '/home/runner/work/_actions/acme/gate/v1',
          GITHUB_ACTION_REPOSITORY: 'acme/gate',
          COMPLIANCE_TRAIL: 'of-the-job',
        },
      },
      { trail: '', 'commit-sha': '', 'user-data': '', org: '', 'base-url': '', 'api-token': '' },
    );
    expect(result).toMatchObject({ exitCode: 0 });
    expect(trailOf(listed)).toBe(shas.head);
    expect(result.log).toContain('COMPLIANCE_TRAIL is not read');
    expect(listed).toMatchObject({ user_data: { github: provenance('pull_request') } });
  });

  it('reads the repository of a container, which belongs to another user, without asking GitHub', async () => {
    const workspace = repositories.repository('container');
    const sha = repositories.commit(workspace, 'feat: in a container\n');
    const own = keep(await startGitHub(answers));
    const { result, commit } = await attest(sha, {
      event: pullRequestEvent({ sha }),
      variables: {
        ...onPullRequest.variables,
        GITHUB_API_URL: own.url,
        GITHUB_WORKSPACE: workspace,
        GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
      },
    });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.log).toContain('described by git in the workspace');
    expect(commit.sha).toBe(sha);
    expect(own.requests).toEqual([]);
  });

  it('stays with the server of the company on GHES', async () => {
    const server = 'https://git.acme.example';
    const api = keep(await startGitHub(answers));
    const { listed, commit } = await attest(shas.head, {
      ...onPullRequest,
      variables: {
        ...onPullRequest.variables,
        GITHUB_SERVER_URL: server,
        GITHUB_API_URL: `${api.url}/api/v3`,
      },
    });
    expect(commit.url).toBe(`${server}/acme/widgets/commit/${shas.head}`);
    expect(listed).toHaveProperty('origin_url', `${server}/acme/widgets/actions/runs/4242/attempts/2`);
    expect(api.requests.at(-1)?.url).toMatch(/^\/api\/v3\//u);
  });

  it('records nothing about a run outside a GitHub job', async () => {
    const nobody = Object.fromEntries(
      ['RUN_ID', 'RUN_ATTEMPT', 'ACTOR', 'TRIGGERING_ACTOR', 'WORKFLOW', 'JOB'].map((name) => [
        `GITHUB_${name}`,
        undefined,
      ]),
    );
    const { listed } = await attest(shas.head, { event: pushEvent(), variables: nobody }, { 'user-data': '{"a": 1}' });
    expect(listed).toMatchObject({ user_data: { a: 1 } });
    expect(valueAt(listed, 'user_data', 'github')).toBeUndefined();
  });

  it('shows in a dry run what would be recorded, and leaves the user’s own key as it is', async () => {
    const inputs = { 'dry-run': 'true', 'on-non-compliant': 'ignore' };
    const { result, listed } = await attest(shas.head, { event: pushEvent() }, inputs);
    expect(listed).toBeUndefined();
    expect(result.log).toContain('"triggering_actor":"bob"');
    expect(result.summary).toContain('triggering_actor');

    const own = await attest(shas.head, { event: pushEvent() }, { 'user-data': '{"github": {"run_id": "mine"}}' });
    expect(own.listed).toMatchObject({ user_data: { github: { run_id: 'mine' }, revision_verified: false } });
  });
});
