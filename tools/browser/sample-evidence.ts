import { createHash } from 'node:crypto';

/** The SHA-256 that stands for an artifact of the samples. */
export function sampleFingerprint(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** The SHA-1 that stands for a commit of the samples. */
export function sampleSha(name: string): string {
  return createHash('sha1').update(name).digest('hex');
}

/** A commit as steps report it. */
export interface SampleCommit {
  readonly sha1: string;
  readonly author: string;
  readonly branch: string;
  readonly message: string;
  /** In Unix seconds. */
  readonly timestamp: number;
  readonly url: string;
}

/** A merged pull request with one approval and one refusal. */
export function toPullRequest(commit: SampleCommit, number: string, title: string): object {
  const { sha1, message, author, timestamp, branch, url } = commit;
  return {
    merge_commit: sha1,
    url: url.replace(/commit\/.*/u, `pull/${number}`),
    state: 'MERGED',
    title,
    author: 'ada',
    approvers: [
      { username: 'grace', state: 'APPROVED', timestamp: timestamp - 300 },
      { username: 'linus', state: 'CHANGES_REQUESTED', timestamp: timestamp - 900 },
    ],
    head_ref: `change-${number}`,
    base_ref: 'main',
    merged_at: timestamp,
    commits: [{ sha1, message, author, timestamp, branch, url, verified: true }],
  };
}

/** The results of two test suites. */
export function toTestResults(failures: number): readonly object[] {
  return [
    { name: 'shop.basket', total: 42, failures: 0, errors: 0, skipped: 1, duration: 3.2 },
    { name: 'shop.payment', total: 17, failures, errors: 0, skipped: 0, duration: 12.8 },
  ];
}

export function toSonarResults(status: string, revision: string): object {
  const failed = status === 'ERROR';
  const conditions = [
    {
      metric: 'new_coverage',
      status: failed ? 'ERROR' : 'OK',
      operator: 'LT',
      errorThreshold: '80',
      value: failed ? '71.4' : '92.0',
    },
    {
      metric: 'new_violations',
      status: failed ? 'ERROR' : 'OK',
      operator: 'GT',
      errorThreshold: '0',
      value: failed ? '4' : '0',
    },
    { metric: 'new_duplicated_lines_density', status: 'OK', operator: 'GT', errorThreshold: '3', value: '0.8' },
  ];
  const project = { key: 'acme_web', name: 'acme / web', url: 'https://sonar.example.com/dashboard?id=acme_web' };
  return {
    project,
    revision,
    analysedAt: '2026-11-20T10:00:00Z',
    qualityGate: { name: 'Sonar way', status, conditions },
  };
}
