import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import { apiCommit, type GitHubReply } from './fake-github.ts';

/** The pull request 12 of acme/widgets, which bob approved. */
const url = 'https://github.com/acme/widgets/pull/12';
const lastPage = { hasNextPage: false, endCursor: '' };

/** GitHub's answers about the pull request of a commit, by path: of GraphQL, and of REST. */
export function pullRequestAnswers(commit: string): Readonly<Record<string, GitHubReply>> {
  const written = {
    oid: commit,
    messageHeadline: 'feat: first',
    committedDate: '2026-02-03T04:05:06Z',
    authoredDate: '2026-01-02T03:04:05Z',
    url: `https://github.com/acme/widgets/commit/${commit}`,
    author: { name: 'Ann Dev', email: 'ann@example.com', user: { login: 'ann' } },
    signature: null,
  };
  const pullRequest = {
    number: 12,
    repository: { name: 'widgets', owner: { login: 'acme' } },
    title: 'Add widgets',
    state: 'MERGED',
    headRefName: 'widgets',
    baseRefName: 'main',
    url,
    createdAt: '2026-02-03T03:00:00Z',
    mergedAt: '2026-02-03T04:05:06Z',
    author: { login: 'ann' },
    commits: { nodes: [{ commit: written }], pageInfo: lastPage },
    reviews: {
      nodes: [{ author: { login: 'bob' }, state: 'APPROVED', submittedAt: '2026-02-03T04:00:00Z' }],
      pageInfo: lastPage,
    },
  };
  const data = { repository: { object: { associatedPullRequests: { nodes: [pullRequest] } } } };
  const path = '/repos/acme/widgets';
  const page = '?per_page=100&page=1';
  return {
    '/api/graphql': { status: 200, body: { data } },
    [`${path}/commits/${commit}/pulls${page}`]: { status: 200, body: [listedPullRequest(commit)] },
    [`${path}/pulls/12/reviews${page}`]: { status: 200, body: [review] },
    [`${path}/pulls/12/commits${page}`]: { status: 200, body: [apiCommit(commit)] },
    [`${path}/collaborators/bob/permission`]: { status: 200, body: { permission: 'write', role_name: 'write' } },
  };
}

const review = {
  id: 80,
  user: { login: 'bob', type: 'User' },
  state: 'APPROVED',
  submitted_at: '2026-02-03T04:00:00Z',
};

function listedPullRequest(commit: string): Mapping {
  return {
    number: 12,
    state: 'closed',
    title: 'Add widgets',
    html_url: url,
    user: { login: 'ann', type: 'User' },
    created_at: '2026-02-03T03:00:00Z',
    merged_at: '2026-02-03T04:05:06Z',
    merge_commit_sha: commit,
    head: { ref: 'widgets', sha: commit },
    base: { ref: 'main', repo: { full_name: 'acme/widgets' } },
  };
}
