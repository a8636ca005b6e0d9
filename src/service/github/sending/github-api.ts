import { createAppAuth } from '@octokit/auth-app';
import { request as octokitRequest } from '@octokit/request';
import { conforms } from '../../../contract/check.ts';
import { type Static, type TSchema, Type } from '../../../contract/schema.ts';
import { type After, type Now, unixSeconds } from '../../../runtime/clock.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import { textAt, valueAt } from '../../../runtime/untrusted-data.ts';
import { withDeadline } from '../../platform/network/deadline.ts';
import { toSingleLine } from '../../platform/single-line.ts';
import type { Answer } from '../answer.ts';
import type { CheckOutput } from '../check-output.ts';
import type { DeploymentDecision } from '../deployment-decision.ts';
import type { GithubApp } from '../github-app.ts';

/** A request to GitHub failed. The message has no full stop, and contains no token. */
export class GithubError extends Error {
  override readonly name = 'GithubError';

  /** The status of the answer; undefined if there is none, or if GitHub gave no token for the request. */
  readonly status: number | undefined;
  /** When GitHub may be asked again, in Unix seconds; undefined if it does not say so. */
  readonly retryAt: number | undefined;

  constructor(message: string, { status, retryAt }: Partial<Pick<GithubError, 'status' | 'retryAt'>> = {}) {
    super(message);
    this.status = status;
    this.retryAt = retryAt;
  }
}

/** How long a request may take, with that for a token, in milliseconds. */
const timeout = 20_000;
/** The pause if GitHub limits requests and does not say how long, in seconds (GitHub's documentation: a minute). */
const limitPause = 60;

const created = Type.Object({ id: Type.Integer() });
const checkRuns = Type.Object({ check_runs: Type.Array(created) });
const run = Type.Object({ head_sha: Type.String({ pattern: '^[0-9a-f]{40}$' }) });
const deliveryList = Type.Array(
  Type.Object({
    // Larger than a JavaScript number can be.
    id: Type.Unknown(),
    guid: Type.String(),
    delivered_at: Type.String(),
    status_code: Type.Integer(),
  }),
);

export interface WebhookDelivery {
  readonly id: string;
  /** The same for all deliveries of an event. */
  readonly guid: string;
  /** In Unix seconds. */
  readonly deliveredAt: number;
  readonly hasFailed: boolean;
}

type Target = Pick<Answer, 'installationId' | 'repository'>;

/** The only permission of the token for a request. */
type Permission = { readonly checks: 'write' } | { readonly deployments: 'write' } | { readonly actions: 'read' };

type RequestParameters = Readonly<Record<string, unknown>>;

export interface GithubApiDependencies {
  readonly app: Pick<GithubApp, 'appId' | 'apiUrl' | 'privateKey'>;
  readonly now: Now;
  readonly after: After;
}

/** GitHub's API for an app. All methods throw GithubError. No request is sent for an installation while GitHub limits it. */
export class GithubApi {
  readonly #app: GithubApiDependencies['app'];
  readonly #now: Now;
  readonly #after: After;
  readonly #closing = new AbortController();
  readonly #request: typeof octokitRequest;
  readonly #auth: ReturnType<typeof createAppAuth>;
  /** Why no request is sent for an installation now, by its number. */
  readonly #pauses = new Map<number, GithubError>();

  constructor({ app, now, after }: GithubApiDependencies) {
    [this.#app, this.#now, this.#after] = [app, now, after];
    this.#request = octokitRequest.defaults({
      baseUrl: app.apiUrl,
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        'user-agent': 'compliance-service',
      },
      request: {
        fetch: (url: string, init: RequestInit) =>
          fetch(url, { ...init, signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]) }),
      },
    });
    const { appId, privateKey } = app;
    this.#auth = createAppAuth({ appId, privateKey, request: this.#request, log: { warn: () => undefined } });
  }

  /** Aborts all requests. */
  close(): void {
    this.#closing.abort();
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Creates the check, or changes it. Returns its number. */
  async saveCheckRun(
    target: Target,
    { id, name, sha }: { readonly id: number | undefined; readonly name: string; readonly sha: string },
    output: CheckOutput,
  ): Promise<number> {
    const change = (known: number): Promise<number> =>
      this.#send(created, target, { checks: 'write' }, 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
        ...{ check_run_id: known, name },
        ...output,
      }).then(() => known);
    if (id !== undefined) {
      try {
        return await change(id);
      } catch (error) {
        if (!(error instanceof GithubError) || error.status !== 404) throw error;
      }
    }
    // An earlier attempt may have created it.
    const list = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
    const query = { ref: sha, check_name: name, app_id: this.#app.appId };
    const { check_runs: found } = await this.#send(checkRuns, target, { checks: 'write' }, list, query);
    const [first] = found.filter((one) => one.id !== id);
    if (first !== undefined) return change(first.id);
    const create = { name, head_sha: sha, ...output };
    return (await this.#send(created, target, { checks: 'write' }, 'POST /repos/{owner}/{repo}/check-runs', create)).id;
  }

  /** Decides a deployment, or reports its status. Returns `gone` if GitHub no longer waits for an answer. */
  async answerDeployment(
    target: Target,
    { runId, environment }: { readonly runId: number; readonly environment: string },
    decision: DeploymentDecision,
  ): Promise<'answered' | 'gone'> {
    const route = 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/deployment_protection_rule';
    const parameters = { run_id: runId, environment_name: environment, ...decision };
    try {
      await this.#send(Type.Null(), target, { deployments: 'write' }, route, parameters);
      return 'answered';
    } catch (error) {
      if (error instanceof GithubError && (error.status === 404 || error.status === 422)) return 'gone';
      throw error;
    }
  }

  /** The head commit of a run. The repository is identified by its number, as in GitHub's own redirections. */
  async findRunCommit(installationId: number, repositoryId: string, runId: string): Promise<string> {
    const target = { installationId, repository: { id: repositoryId, name: '/' } };
    const route = 'GET /repositories/{repository_id}/actions/runs/{run_id}';
    const parameters = { repository_id: repositoryId, run_id: runId };
    return (await this.#send(run, target, { actions: 'read' }, route, parameters)).head_sha;
  }

  /** A page of the deliveries of webhooks, the newest first, and the cursor of the next one. */
  async listDeliveries(
    cursor: string | undefined,
  ): Promise<{ readonly deliveries: readonly WebhookDelivery[]; readonly next: string | undefined }> {
    const answer = await this.#askAsApp('GET /app/hook/deliveries', { per_page: 100, cursor });
    const listed = parseAnswer(deliveryList, valueAt(answer, 'data'));
    const next = /<([^>]*)>;\s*rel="next"/u.exec(textAt(answer, 'headers', 'link') ?? '')?.[1];
    return {
      deliveries: listed.map(({ id, guid, delivered_at, status_code }) => ({
        ...{ id: String(id), guid, deliveredAt: unixSeconds(Date.parse(delivered_at)) },
        hasFailed: status_code < 200 || status_code > 299,
      })),
      next: next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined),
    };
  }

  /** Asks GitHub to deliver a webhook again. */
  async redeliver(id: string): Promise<void> {
    await this.#askAsApp('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: id });
  }

  #askAsApp(route: string, parameters: RequestParameters): Promise<unknown> {
    return this.#withDeadline(async () => {
      const { token } = await this.#auth({ type: 'app' });
      return this.#request(route, { ...parameters, headers: { authorization: `bearer ${token}` } });
    });
  }

  /** Sends a request with a token for this repository and permission only. */
  async #send<Schema extends TSchema>(
    schema: Schema,
    { installationId, repository }: Target,
    permissions: Permission,
    route: string,
    parameters: RequestParameters,
  ): Promise<Static<Schema>> {
    const pause = this.#pauses.get(installationId);
    if (pause?.retryAt !== undefined && pause.retryAt > unixSeconds(this.#now())) throw pause;
    this.#pauses.delete(installationId);
    const [owner, repo] = repository.name.split('/');
    const attempt = async (refresh: boolean): Promise<unknown> => {
      const token = await this.#createToken(installationId, Number(repository.id), permissions, refresh);
      const headers = { authorization: `bearer ${token}` };
      const answer = await this.#request(route, { owner, repo, ...parameters, headers });
      // Only this status says that there is no content; an answer that was cut has none, either.
      return answer.status === 204 ? null : answer.data;
    };
    try {
      const data = await this.#withDeadline(() =>
        attempt(false).catch((error: unknown) => {
          // The token may have been revoked.
          if (valueAt(error, 'response', 'status') !== 401) throw error;
          return attempt(true);
        }),
      );
      return parseAnswer(schema, data);
    } catch (error) {
      if (error instanceof GithubError && error.retryAt !== undefined) this.#pauses.set(installationId, error);
      throw error;
    }
  }

  async #createToken(
    installationId: number,
    repositoryId: number,
    permissions: Permission,
    refresh: boolean,
  ): Promise<string> {
    try {
      const repositoryIds = [repositoryId];
      return (await this.#auth({ type: 'installation', installationId, repositoryIds, permissions, refresh })).token;
    } catch (error) {
      const { message, retryAt } = this.#toGithubError(error);
      const where = `no token for installation ${installationId} and repository ${repositoryId}`;
      throw new GithubError(`${where}: ${message}`, { retryAt });
    }
  }

  /** @throws GithubError */
  async #withDeadline<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await withDeadline({ after: this.#after, signal: this.#closing.signal }, timeout, work);
    } catch (error) {
      throw this.#toGithubError(error);
    }
  }

  #toGithubError(error: unknown): GithubError {
    if (error instanceof GithubError) return error;
    const words = toSingleLine(errorMessage(error));
    const response = valueAt(error, 'response');
    const status = valueAt(response, 'status');
    if (typeof status !== 'number') return new GithubError(`GitHub did not answer: ${words}`);
    const time = unixSeconds(this.#now());
    const retryAt = findRetryTime(response, { status, words, time });
    return new GithubError(`GitHub answered ${status}: ${words}`, { status, retryAt });
  }
}

/** When GitHub may be asked again; undefined if it does not limit requests ("Rate limits for the REST API"). */
function findRetryTime(
  response: unknown,
  { status, words, time }: { readonly status: number; readonly words: string; readonly time: number },
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const header = (name: string): number => Number(valueAt(response, 'headers', name) ?? NaN);
  const wait = header('retry-after');
  if (wait >= 0) return time + wait;
  const reset = header('x-ratelimit-reset');
  if (header('x-ratelimit-remaining') === 0 && reset > 0) return Math.max(reset, time);
  return status === 429 || /rate limit/iu.test(words) ? time + limitPause : undefined;
}

function parseAnswer<Schema extends TSchema>(schema: Schema, data: unknown): Static<Schema> {
  if (conforms(schema, data)) return data;
  throw new GithubError('the answer of GitHub is not as its documentation says');
}
