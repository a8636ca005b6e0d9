import type { Mapping } from '../../src/runtime/untrusted-data.ts';

/** SHAs that are easy to distinguish. */
export const shas = {
  head: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  merge: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  base: 'cccccccccccccccccccccccccccccccccccccccc',
  tagObject: 'dddddddddddddddddddddddddddddddddddddddd',
  zero: '0000000000000000000000000000000000000000',
} as const;

const repository: Mapping = {
  id: 99001,
  node_id: 'R_kgDOABCDEF',
  name: 'widgets',
  full_name: 'acme/widgets',
  private: true,
  owner: { login: 'acme', id: 501, type: 'Organization' },
  html_url: 'https://github.com/acme/widgets',
  fork: false,
  url: 'https://api.github.com/repos/acme/widgets',
  default_branch: 'main',
};

/** The repository as commits of runs describe it, without its settings. */
const headRepository: Mapping = Object.fromEntries(
  Object.entries(repository).filter(([name]) => name !== 'default_branch'),
);

/** The values that differ in a fork. */
const forkedRepository: Mapping = {
  id: 99002,
  full_name: 'forker/widgets',
  owner: { login: 'forker', id: 8, type: 'User' },
  fork: true,
};

const sender: Mapping = { login: 'ann', id: 7, type: 'User', site_admin: false };

/** A commit as webhooks describe it (GitHub's webhook documentation, `push`). */
export function webhookCommit(id: string, changes: Mapping = {}): Mapping {
  return {
    id,
    tree_id: 'f9d2a07e9488b91af2641b26b9407fe22a451433',
    distinct: true,
    message: 'feat: first\n\nbody line',
    timestamp: '2026-01-02T05:04:05+02:00',
    url: `https://github.com/acme/widgets/commit/${id}`,
    author: { name: 'Ann Dev', email: 'ann@example.com', username: 'ann' },
    committer: { name: 'GitHub', email: 'noreply@github.com', username: 'web-flow' },
    added: [],
    removed: [],
    modified: ['README.md'],
    ...changes,
  };
}

/** A commit as merge groups, workflow runs and check suites describe it, without URL and files. */
function simpleCommit(id: string, message: string): Mapping {
  return {
    id,
    tree_id: 'f9d2a07e9488b91af2641b26b9407fe22a451433',
    message,
    timestamp: '2026-01-02T03:04:05Z',
    author: { name: 'Ann Dev', email: 'ann@example.com' },
    committer: { name: 'GitHub', email: 'noreply@github.com' },
  };
}

/** A push to a branch; `head_commit` and `commits` describe its newest commit. */
export function pushEvent(changes: Mapping = {}): Mapping {
  const commit = webhookCommit(shas.head);
  return {
    ref: 'refs/heads/main',
    before: shas.base,
    after: shas.head,
    repository,
    pusher: { name: 'ann', email: 'ann@example.com' },
    sender,
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: 'https://github.com/acme/widgets/compare/cccccccccccc...aaaaaaaaaaaa',
    commits: [commit],
    head_commit: commit,
    ...changes,
  };
}

/** A push of an annotated tag: `after` is the tag object, `head_commit` the commit that it tags. */
export function tagPushEvent(changes: Mapping = {}): Mapping {
  return pushEvent({
    ref: 'refs/tags/v1',
    before: shas.zero,
    after: shas.tagObject,
    created: true,
    commits: [],
    ...changes,
  });
}

export function branchDeletionPushEvent(): Mapping {
  return pushEvent({ ref: 'refs/heads/old', after: shas.zero, deleted: true, commits: [], head_commit: null });
}

export function deleteEvent(): Mapping {
  return { ref: 'old', ref_type: 'branch', pusher_type: 'user', repository, sender };
}

function pullRequest(fork: boolean): Mapping {
  const source = fork ? { ...repository, ...forkedRepository } : repository;
  const owner = fork ? 'forker' : 'acme';
  return {
    url: 'https://api.github.com/repos/acme/widgets/pulls/12',
    id: 1201,
    html_url: 'https://github.com/acme/widgets/pull/12',
    number: 12,
    state: 'open',
    title: 'Add a lid',
    user: sender,
    merge_commit_sha: shas.merge,
    head: { label: `${owner}:feature/lid`, ref: 'feature/lid', sha: shas.head, user: sender, repo: source },
    base: { label: 'acme:main', ref: 'main', sha: shas.base, user: sender, repo: repository },
    draft: false,
  };
}

/** `pull_request` and `pull_request_target`. */
export function pullRequestEvent(options: { fork?: boolean; action?: string } = {}): Mapping {
  const { fork = false, action = 'synchronize' } = options;
  return {
    action,
    number: 12,
    pull_request: { ...pullRequest(fork), merged: false },
    ...(action === 'synchronize' ? { before: shas.base, after: shas.head } : {}),
    repository,
    sender,
  };
}

export function pullRequestReviewEvent(): Mapping {
  const review = { id: 80, user: sender, body: 'fine', commit_id: shas.head, state: 'approved' };
  return { action: 'submitted', review, pull_request: pullRequest(false), repository, sender };
}

export function mergeGroupEvent(): Mapping {
  return {
    action: 'checks_requested',
    merge_group: {
      head_sha: shas.head,
      head_ref: `refs/heads/gh-readonly-queue/main/pr-12-${shas.base}`,
      base_sha: shas.base,
      base_ref: 'refs/heads/main',
      head_commit: simpleCommit(shas.head, 'Merge pull request #12 from acme/feature/lid'),
    },
    repository,
    sender,
  };
}

/** `workflow_run`: another workflow of the repository ended, on a pull request from a fork. */
export function forkWorkflowRunEvent(): Mapping {
  return workflowRunEvent({ head_repository: { ...headRepository, ...forkedRepository } });
}

/** `workflow_run`: another workflow of the repository ended. */
export function workflowRunEvent(changes: Mapping = {}): Mapping {
  return {
    action: 'completed',
    workflow_run: {
      id: 3001,
      name: 'Build',
      head_branch: 'feature/lid',
      head_sha: shas.head,
      path: '.github/workflows/build.yml',
      run_number: 40,
      event: 'pull_request',
      status: 'completed',
      conclusion: 'success',
      workflow_id: 61,
      run_attempt: 1,
      pull_requests: [],
      head_commit: simpleCommit(shas.head, 'feat: lid'),
      head_repository: headRepository,
      ...changes,
    },
    workflow: { id: 61, name: 'Build', path: '.github/workflows/build.yml', state: 'active' },
    repository,
    sender,
  };
}

export function releaseEvent(changes: Mapping = {}): Mapping {
  return {
    action: 'published',
    release: {
      id: 55,
      html_url: 'https://github.com/acme/widgets/releases/tag/v1',
      tag_name: 'v1',
      target_commitish: 'main',
      name: 'First',
      draft: false,
      prerelease: false,
      author: sender,
      created_at: '2026-01-02T03:00:00Z',
      published_at: '2026-01-02T03:04:05Z',
      ...changes,
    },
    repository,
    sender,
  };
}

export function scheduleEvent(): Mapping {
  return { schedule: '0 4 * * *', repository };
}

/** `workflow_dispatch`, on a branch or on a tag. */
export function workflowDispatchEvent(ref = 'refs/heads/feature/a'): Mapping {
  return { ref, workflow: '.github/workflows/attest.yml', inputs: null, repository, sender };
}

/** `repository_dispatch`: another system starts a run, always on the default branch. */
export function repositoryDispatchEvent(): Mapping {
  return { action: 'nightly', branch: 'main', client_payload: { reason: 'nightly' }, repository, sender };
}

/** `create`, of a tag. */
export function createTagEvent(): Mapping {
  return {
    ref: 'v1',
    ref_type: 'tag',
    master_branch: 'main',
    description: null,
    pusher_type: 'user',
    repository,
    sender,
  };
}

/** `issue_comment` on a pull request, or on an issue. */
export function issueCommentEvent(on: 'pull request' | 'issue'): Mapping {
  const api = 'https://api.github.com/repos/acme/widgets/pulls/12';
  return {
    action: 'created',
    issue: {
      number: 12,
      title: 'Add a lid',
      user: sender,
      state: 'open',
      ...(on === 'pull request' ? { pull_request: { url: api, merged_at: null } } : {}),
    },
    comment: { id: 9000, user: sender, body: '/attest', author_association: 'MEMBER' },
    repository,
    sender,
  };
}

/** `deployment` of a branch, a tag or a bare commit. */
export function deploymentEvent(ref: string): Mapping {
  const deployment = { id: 71, sha: shas.head, ref, task: 'deploy', environment: 'production', creator: sender };
  return { action: 'created', deployment, workflow: null, workflow_run: null, repository, sender };
}

/** `deployment_status`, which holds the payload of `deployment` as well. */
export function deploymentStatusEvent(ref: string): Mapping {
  const status = { id: 70, state: 'success', environment: 'production', creator: sender };
  return { ...deploymentEvent(ref), deployment_status: status };
}

export function checkSuiteEvent(): Mapping {
  return {
    action: 'completed',
    check_suite: {
      id: 118,
      head_branch: 'feature/lid',
      head_sha: shas.head,
      status: 'completed',
      conclusion: 'success',
      pull_requests: [],
      app: { id: 29310, slug: 'octoapp' },
      head_commit: simpleCommit(shas.head, 'feat: lid'),
    },
    repository,
    sender,
  };
}

export function checkRunEvent(): Mapping {
  const suite = { id: 118, head_branch: null, head_sha: shas.head, status: 'completed' };
  return {
    action: 'completed',
    check_run: { id: 128, name: 'Octocoders-linter', head_sha: shas.head, status: 'completed', check_suite: suite },
    repository,
    sender,
  };
}

/** `status`: somebody reported a commit status. */
export function statusEvent(branches: readonly string[]): Mapping {
  return {
    id: 6805,
    sha: shas.head,
    name: 'acme/widgets',
    context: 'legacy-ci',
    state: 'success',
    branches: branches.map((name) => ({ name, commit: { sha: shas.head }, protected: false })),
    repository,
    sender,
  };
}
