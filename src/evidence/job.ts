import { readFileSync, statSync } from 'node:fs';
import type { RepoInfo } from '../contract/commit.ts';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { describeError, errorCode, UserError } from '../runtime/failure.ts';
import { isMapping, type Mapping, textAt, valueAt } from '../runtime/untrusted-data.ts';
import { shortRef } from './git/git-ref.ts';

/** A repository as GitHub addresses it. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** The job's context: the `GITHUB_*` variables and the event. What GitHub did not set is undefined. */
export interface Job {
  /** The URL of GitHub's pages, without a slash at the end; on GHES the company's own. */
  readonly serverUrl: string;
  /** The base URL of GitHub's REST API, without a slash at the end. */
  readonly apiUrl: string;
  readonly repository: RepositoryName | undefined;
  readonly repositoryId: string | undefined;
  readonly eventName: string | undefined;
  /** The webhook payload that started the run; empty if the job has no event file. */
  readonly event: Mapping;
  /** The full ref that started the run: `refs/heads/main`, `refs/tags/v1`, `refs/pull/12/merge`. */
  readonly ref: string | undefined;
  /** The ref without its prefix: `main`, `v1`, `12/merge`. */
  readonly refName: string | undefined;
  readonly refType: 'branch' | 'tag' | undefined;
  /** The pull request's source branch; only on `pull_request` and `pull_request_target`. */
  readonly headRef: string | undefined;
  /** The commit that GitHub checks out. Not always the commit that the run is about: see `judgedCommit`. */
  readonly sha: string | undefined;
  /** The folder that `actions/checkout` fills. */
  readonly workspace: string | undefined;
  readonly runId: string | undefined;
  /** Counts the re-runs of the run, from 1. */
  readonly runAttempt: string | undefined;
  /** The workflow's name, or its file if it has none. */
  readonly workflow: string | undefined;
  /** The job's key in the workflow. */
  readonly job: string | undefined;
  /** The user who started the run originally. */
  readonly actor: string | undefined;
  /** The user who started this attempt; on a re-run possibly not the actor. */
  readonly triggeringActor: string | undefined;
}

/**
 * The maximum size of an event file, in bytes. GitHub limits a payload to 25 MB and the runner indents it, so a larger
 * file is not an event.
 */
export const maximumEventBytes = 100 * 1024 * 1024;

/**
 * Reads the job's context. An empty variable counts as unset. A job without an event file (an older container job) has
 * an empty event. Reads synchronously: everything else depends on it, and loading Node.js's asynchronous file API would
 * take longer than the reading.
 *
 * The `context` of @actions/github is not used. It is made when the package is imported, which would load Octokit in every
 * step; a malformed event file fails that import with a bare SyntaxError; and it has neither the repository's id, the
 * workspace, the ref's type nor the pull request's branches, so half of the job would be read from the variables anyway.
 *
 * @throws UserError if the event file exists but is not the JSON object that GitHub writes
 */
export function readJob(environment: EnvironmentVariables): Job {
  const variable = (name: string): string | undefined => textAt(environment, name);
  const serverUrl = withoutSlash(variable('GITHUB_SERVER_URL') ?? 'https://github.com');
  const event = readEvent(variable('GITHUB_EVENT_PATH'));
  const ref = variable('GITHUB_REF');
  return {
    serverUrl,
    apiUrl: withoutSlash(variable('GITHUB_API_URL') ?? toApiUrl(serverUrl)),
    repository: repositoryName(variable('GITHUB_REPOSITORY') ?? textAt(event, 'repository', 'full_name')),
    repositoryId: variable('GITHUB_REPOSITORY_ID') ?? toId(valueAt(event, 'repository', 'id')),
    eventName: variable('GITHUB_EVENT_NAME'),
    event,
    ref,
    refName: variable('GITHUB_REF_NAME') ?? shortRef(ref),
    refType: refType(variable('GITHUB_REF_TYPE'), ref),
    headRef: variable('GITHUB_HEAD_REF'),
    sha: variable('GITHUB_SHA'),
    workspace: variable('GITHUB_WORKSPACE'),
    runId: variable('GITHUB_RUN_ID'),
    runAttempt: variable('GITHUB_RUN_ATTEMPT'),
    workflow: variable('GITHUB_WORKFLOW'),
    job: variable('GITHUB_JOB'),
    actor: variable('GITHUB_ACTOR'),
    triggeringActor: variable('GITHUB_TRIGGERING_ACTOR'),
  };
}

/** The URL of the repository's page; undefined outside a GitHub job. */
export function repositoryUrl(job: Job): string | undefined {
  if (job.repository === undefined) return undefined;
  return [job.serverUrl, encodeURIComponent(job.repository.owner), encodeURIComponent(job.repository.name)].join('/');
}

/** The URL of this run's page, for this attempt if it is known; undefined outside a GitHub job. */
export function runUrl(job: Job): string | undefined {
  const repository = repositoryUrl(job);
  if (repository === undefined || job.runId === undefined) return undefined;
  const run = `${repository}/actions/runs/${encodeURIComponent(job.runId)}`;
  return job.runAttempt === undefined ? run : `${run}/attempts/${encodeURIComponent(job.runAttempt)}`;
}

function readEvent(path: string | undefined): Mapping {
  if (path === undefined) return {};
  const text = readEventFile(path);
  if (text === undefined) return {};
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (thrown) {
    throw createEventError(path, `is not JSON (${describeError(thrown)})`, thrown);
  }
  if (!isMapping(event)) throw createEventError(path, 'does not contain a JSON object');
  return event;
}

function readEventFile(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw createEventError(path, 'is not a file');
    if (found.size > maximumEventBytes)
      throw createEventError(path, `holds ${found.size} bytes, more than GitHub writes`);
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw createEventError(path, `cannot be read (${describeError(thrown)})`, thrown);
  }
}

function createEventError(path: string, fault: string, cause?: unknown): UserError {
  return new UserError({
    what: `The event file ${path} ${fault}.`,
    remedy: 'GitHub writes this file and sets GITHUB_EVENT_PATH: make sure that no earlier step changes either.',
    cause,
  });
}

/** The REST API's URL of a GitHub host (GitHub's documentation of GHES and of data residency on ghe.com). */
function toApiUrl(serverUrl: string): string {
  if (!URL.canParse(serverUrl)) return 'https://api.github.com';
  const { protocol, host } = new URL(serverUrl);
  if (host === 'github.com' || host.endsWith('.ghe.com')) return `${protocol}//api.${host}`;
  return `${serverUrl}/api/v3`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function repositoryName(fullName: string | undefined): RepositoryName | undefined {
  const [owner, name, ...more] = fullName?.split('/') ?? [];
  if (owner === undefined || owner === '' || name === undefined || name === '' || more.length > 0) return undefined;
  return { owner, name };
}

function toId(id: unknown): string | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined;
}

function refType(type: string | undefined, ref: string | undefined): Job['refType'] {
  if (type === 'branch' || type === 'tag') return type;
  if (ref?.startsWith('refs/heads/') === true) return 'branch';
  return ref?.startsWith('refs/tags/') === true ? 'tag' : undefined;
}

/** The job's repository as the service's clients report it (observed on the wire); undefined outside a GitHub job. */
export function repositoryInfo(job: Job): RepoInfo | undefined {
  const url = repositoryUrl(job);
  if (job.repository === undefined || url === undefined) return undefined;
  return {
    name: `${job.repository.owner}/${job.repository.name}`,
    url,
    ...(job.repositoryId === undefined ? {} : { id: job.repositoryId }),
    provider: 'github',
  };
}
