import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAt, type Mapping, textAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, openActionJob, type StepOptions } from '../support/action-job.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { eventRuns } from '../support/event-runs.ts';
import { pullRequestEvent, shas } from '../support/events.ts';
import { apiCommit, type FakeGitHub, startGitHub } from '../support/fake-github.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';

let job: ActionJob;
let github: FakeGitHub;
const keep = closeAfterEach();

beforeAll(async () => {
  [job, github] = await Promise.all([openActionJob(), startGitHub(answers)]);
});

afterAll(async () => {
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
async function attest(sha: string, { variables, ...options }: StepOptions): Promise<Attested> {
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

function provenance(eventName: string): Mapping {
  return {
    repository: 'acme/widgets',
    workflow: 'CI',
    job: 'build',
    event_name: eventName,
    run_id: '4242',
    run_attempt: '2',
    actor: 'ann',
    triggering_actor: 'bob',
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

it('attest-sonar stays with the server of the company on GHES', async () => {
  const server = 'https://git.acme.example';
  const api = keep(await startGitHub(answers));
  const variables = {
    ...{ GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: shas.merge, GITHUB_REF: 'refs/pull/12/merge' },
    ...{ GITHUB_HEAD_REF: 'feature/lid', GITHUB_SERVER_URL: server, GITHUB_API_URL: `${api.url}/api/v3` },
  };
  const { listed, commit } = await attest(shas.head, { event: pullRequestEvent(), variables });
  expect(commit.url).toBe(`${server}/acme/widgets/commit/${shas.head}`);
  expect(listed).toHaveProperty('origin_url', `${server}/acme/widgets/actions/runs/4242/attempts/2`);
  expect(api.requests.at(-1)?.url).toMatch(/^\/api\/v3\//u);
});
