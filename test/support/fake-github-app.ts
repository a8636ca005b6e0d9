import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Static } from '../../src/contract/schema.ts';
import { type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { GithubApp } from '../../src/service/github/github-app.ts';
import { githubError, type GitHubReply, startGitHub } from './fake-github.ts';
import { Breach, parse } from './fake-github-repository.ts';
import type { FakeRequest } from './fake-server.ts';
import {
  checked,
  checkRunUpdate,
  deploymentAnswer,
  limited,
  newCheckRun,
  refuseJwt,
  tokenRequest,
} from './github-app-requests.ts';
import { signWebhook, webhookSecret } from './github-webhooks.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** An app as its operator configures it. */
export const fakeApp = {
  appId: 4711,
  privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  webhookSecret,
} as const;

/** An app of which only what it receives is tested: nothing answers at the address of its API. */
export const receivingApp: GithubApp = {
  ...{ ...fakeApp, apiUrl: 'http://127.0.0.1:9' },
  installations: new Map([
    [1, 'acme'],
    [2, 'acme'],
    [3, 'other'],
  ]),
};

/** A check run, as the fake stores it. */
export interface FakeCheckRun {
  readonly id: number;
  readonly repositoryId: number;
  name: string;
  readonly sha: string;
  /** What it said, in order. */
  readonly versions: Static<typeof checkRunUpdate>[];
}

/** An installation of the app. */
interface Installation {
  state: 'active' | 'suspended' | 'removed';
}

/** A request of the service for the deployment of a run to an environment. */
export interface FakeDeployment {
  state: 'waiting' | 'approved' | 'rejected';
  readonly comments: string[];
}

/** A delivery of a webhook. */
export interface FakeDelivery {
  /** Larger than a JavaScript number can be. */
  readonly id: bigint;
  readonly guid: string;
  readonly event: string;
  readonly body: string;
  readonly deliveredAt: number;
  readonly redelivery: boolean;
  /** 0 if there was no answer. */
  readonly statusCode: number;
}

/** The token of an installation. */
interface Token {
  readonly repositoryIds: readonly number[];
  readonly permissions: object;
}

/** GitHub's API for apps on the loopback interface. */
export interface FakeGitHubApp {
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  /** How requests deviate from GitHub's documentation. */
  readonly breaches: readonly string[];
  readonly checkRuns: readonly FakeCheckRun[];
  readonly deliveries: readonly FakeDelivery[];
  /** The only one, number 1. */
  readonly installation: Installation;
  /** The full names of the repositories, by number. Change one to rename it. */
  readonly repositories: Map<number, string>;
  /** The head commits of the runs, by number. */
  readonly runs: Map<number, string>;
  /** Replies to all requests from now on, or to those that it chooses; undefined for none. */
  fault: ((request: FakeRequest) => GitHubReply | undefined) | undefined;
  /** No token is valid any longer. */
  expireTokens(): void;
  /** A run waits for the rule. The event must be delivered, too. */
  requestDeployment(runId: number, environment: string): FakeDeployment;
  /** The service that gets webhooks; undefined for none, so that all deliveries fail. */
  target: string | undefined;
  /** Delivers an event. Returns the status of the answer, or 0. */
  deliver(event: string, payload: unknown, options?: { readonly guid?: string }): Promise<number>;
  /** Waits until it is true after a request, or now. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Replies of GitHub in trouble. */
export const troubles = {
  down: githubError(503, 'Service unavailable'),
  /** The secondary limit. */
  limited: (seconds: number, status: 403 | 429 = 429): GitHubReply =>
    githubError(status, 'You have exceeded a secondary rate limit', { 'retry-after': String(seconds) }),
  /** The primary limit, until a time in Unix seconds. */
  exhausted: (reset: number): GitHubReply =>
    githubError(403, 'API rate limit exceeded', {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(reset)),
    }),
} as const;

const suspended = githubError(403, 'This installation has been suspended');

/** Starts a fake with installation 1 and the repository `acme/web`, number 123. `now` gives the time of deliveries. */
export async function startGitHubApp(now: () => number = Date.now): Promise<FakeGitHubApp> {
  const checkRuns: FakeCheckRun[] = [];
  const deliveries: FakeDelivery[] = [];
  const deployments = new Map<string, FakeDeployment>();
  const tokens = new Map<string, Token>();
  const repositories = new Map([[123, 'acme/web']]);
  const runs = new Map<number, string>();
  const waiting = new Set<() => void>();
  const names = new Map(repositories);

  /** The number of the repository of a path; a redirection if it was renamed. */
  const findRepository = ({ url }: FakeRequest, name: string): number | GitHubReply | undefined => {
    const found = [...repositories].find(([, present]) => present === name);
    if (found !== undefined) return found[0];
    const [old] = [...names].find(([, earlier]) => earlier === name) ?? [];
    if (old === undefined) return undefined;
    const location = `${github.url}/repositories/${old}/${url.split('/').slice(4).join('/')}`;
    return { status: 307, body: { message: 'Moved Permanently', url: location }, headers: { location } };
  };

  const createToken: Handler = ({ document, groups: { id } }) => {
    const { repository_ids, permissions } = checked(tokenRequest, document);
    const { state } = installation;
    if (id !== '1' || state === 'removed') return githubError(404, 'Not Found');
    if (state === 'suspended') return suspended;
    if (repository_ids.some((one) => !repositories.has(one)))
      return githubError(422, 'There is at least one repository that does not exist or is not accessible');
    const token = `ghs_${randomUUID().replaceAll('-', '')}`;
    tokens.set(token, { repositoryIds: repository_ids, permissions });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return { status: 201, body: { token, expires_at, permissions, repository_selection: 'selected' } };
  };
  const listDeliveries: Handler = ({ query }) => {
    if ([...query.keys()].some((key) => !['per_page', 'cursor'].includes(key))) throw new Breach('known parameters');
    const size = Number(query.get('per_page') ?? 30);
    if (size > 100) throw new Breach('a page of at most 100');
    const newest = deliveries.toReversed();
    const first = query.has('cursor') ? newest.findIndex(({ id }) => `v1_${id}` === query.get('cursor')) : 0;
    const next = newest[first + size]?.id;
    const link = `<${github.url}/app/hook/deliveries?per_page=${size}&cursor=v1_${next}>; rel="next"`;
    const page = `[${newest
      .slice(first, first + size)
      .map(asGitHub)
      .join()}]`;
    return { status: 200, body: page, headers: next === undefined ? {} : { link } };
  };
  const redeliver: Handler = ({ groups: { id } }) => {
    const found = deliveries.find((one) => String(one.id) === id);
    if (found === undefined) return githubError(404, 'Not Found');
    if (now() - found.deliveredAt > 3 * 86_400_000) throw new Breach('a delivery of the last three days');
    void send(found, true);
    return { status: 202, body: {} };
  };

  const createCheckRun: Handler = ({ document, repositoryId }) => {
    const { head_sha: sha, ...version } = checked(newCheckRun, document);
    const { name } = version;
    const run = { id: 9_000_000_000 + checkRuns.length, repositoryId, name, sha, versions: [] };
    checkRuns.push(run);
    return { status: 201, body: changeCheckRun(run, version) };
  };
  const updateCheckRun: Handler = ({ document, repositoryId, groups: { id } }) => {
    const run = checkRuns.find((one) => one.id === Number(id) && one.repositoryId === repositoryId);
    return run && { status: 200, body: changeCheckRun(run, checked(checkRunUpdate, document)) };
  };
  const findCheckRuns: Handler = ({ query, repositoryId, groups: { sha } }) => {
    if (query.get('app_id') !== String(fakeApp.appId)) throw new Breach('its own app_id');
    const name = query.get('check_name');
    const found = checkRuns.filter((run) => run.repositoryId === repositoryId && run.sha === sha && run.name === name);
    return { status: 200, body: { total_count: found.length, check_runs: found.map(asGitHubRun) } };
  };
  const answerDeployment: Handler = ({ document, groups: { run = '' } }) => {
    const { environment_name, state, comment } = checked(deploymentAnswer, document);
    const deployment = deployments.get(`${run}/${environment_name}`);
    if (deployment?.state !== 'waiting')
      return githubError(422, 'There are no pending deployment protection rules to approve or reject');
    if (state === undefined && deployment.comments.length >= 10) throw new Breach('at most 10 status reports');
    deployment.comments.push(limited(comment, 1024));
    deployment.state = state ?? 'waiting';
    return { status: 204, body: '' };
  };
  const showRun: Handler = ({ groups: { run } }) => {
    const head_sha = runs.get(Number(run));
    return head_sha === undefined
      ? undefined
      : { status: 200, body: { id: Number(run), head_sha, event: 'pull_request' } };
  };

  /** The endpoints for the app itself: method, path, handler. */
  const appEndpoints: readonly (readonly [string, RegExp, Handler])[] = [
    ['POST', /^\/app\/installations\/(?<id>\d+)\/access_tokens$/u, createToken],
    ['GET', /^\/app\/hook\/deliveries$/u, listDeliveries],
    ['POST', /^\/app\/hook\/deliveries\/(?<id>\d+)\/attempts$/u, redeliver],
  ];
  /** The endpoints of a repository: method, path in it, permission, handler. */
  const endpoints: readonly (readonly [string, RegExp, string, Handler])[] = [
    ['POST', /^check-runs$/u, 'checks', createCheckRun],
    ['PATCH', /^check-runs\/(?<id>\d+)$/u, 'checks', updateCheckRun],
    ['GET', /^commits\/(?<sha>[0-9a-f]{40})\/check-runs$/u, 'checks', findCheckRuns],
    ['POST', /^actions\/runs\/(?<run>\d+)\/deployment_protection_rule$/u, 'deployments', answerDeployment],
    ['GET', /^actions\/runs\/(?<run>\d+)$/u, 'actions', showRun],
  ];

  const answerApp = async (request: FakeRequest, asked: Asked): Promise<GitHubReply | undefined> => {
    for (const [method, path, handle] of appEndpoints) {
      const match = path.exec(asked.pathname);
      if (match === null || method !== request.method) continue;
      return (
        (await refuseJwt(request, { appId: fakeApp.appId, publicKey })) ??
        handle({ ...asked, groups: { ...match.groups } })
      );
    }
    return undefined;
  };
  /** Why a token is no good for a repository. */
  const refuseToken = ({ headers }: FakeRequest, repository: number, area: string): GitHubReply | undefined => {
    const token = tokens.get(/^(?:bearer|token) (\S+)$/iu.exec(headers.authorization ?? '')?.[1] ?? '');
    if (token === undefined || installation.state === 'removed') return githubError(401, 'Bad credentials');
    if (installation.state === 'suspended') return suspended;
    if (!token.repositoryIds.includes(repository)) throw new Breach('a token of this repository');
    if (!(area in token.permissions)) throw new Breach(`the permission ${area}`);
    return undefined;
  };
  const answerRepository = (request: FakeRequest, asked: Asked): GitHubReply | undefined => {
    const { name, id, rest = '' } = repositoryPath.exec(asked.pathname)?.groups ?? {};
    const repository = name === undefined ? Number(id) : findRepository(request, decodeURIComponent(name));
    if (typeof repository !== 'number') return repository;
    for (const [method, path, area, handle] of endpoints) {
      const match = path.exec(rest);
      if (match === null || method !== request.method) continue;
      const groups = { ...match.groups };
      return refuseToken(request, repository, area) ?? handle({ ...asked, repositoryId: repository, groups });
    }
    return undefined;
  };
  const answer = async (request: FakeRequest, breaches: string[]): Promise<GitHubReply | undefined> => {
    const { pathname: path, searchParams: query } = new URL(request.url, 'http://stand.in');
    // A GHES has its API below this path.
    const pathname = path.replace(/^\/api\/v3(?=\/)/u, '');
    const asked = { pathname, query, document: parse(request.body), repositoryId: 0, groups: {} };
    try {
      return (await answerApp(request, asked)) ?? answerRepository(request, asked);
    } catch (thrown) {
      if (!(thrown instanceof Breach)) throw thrown;
      breaches.push(`${request.method} ${pathname} lacks ${thrown.message}`);
      return githubError(422, `Invalid request: ${thrown.message}`);
    } finally {
      for (const [key, name] of repositories) if (!names.has(key)) names.set(key, name);
      for (const look of waiting) setImmediate(look);
    }
  };

  const send = async (
    { guid, event, body }: Pick<FakeDelivery, 'guid' | 'event' | 'body'>,
    redelivery: boolean,
  ): Promise<number> => {
    const { target } = github;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/abcdef0',
      'x-github-event': event,
      'x-github-delivery': guid,
      'x-github-hook-installation-target-id': String(fakeApp.appId),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature-256': signWebhook(body),
    };
    const response = target === undefined ? undefined : await fetch(target, { method: 'POST', headers, body });
    const statusCode = response?.status ?? 0;
    const id = 203_424_923_425_603_001n + BigInt(deliveries.length);
    deliveries.push({ id, guid, event, body, deliveredAt: now(), redelivery, statusCode });
    for (const look of waiting) look();
    return statusCode;
  };

  const installation: Installation = { state: 'active' };
  const server = await startGitHub(
    {},
    {
      repository: { answer },
      fault: (request) => {
        const reply = github.fault?.(request);
        if (reply !== undefined) for (const look of waiting) setImmediate(look);
        return reply;
      },
    },
  );
  const github: FakeGitHubApp = {
    ...{ checkRuns, deliveries, installation, repositories, runs, fault: undefined, target: undefined },
    url: server.url,
    requests: server.requests,
    breaches: server.breaches,
    expireTokens: () => {
      tokens.clear();
    },
    requestDeployment: (runId, environment) => {
      const deployment: FakeDeployment = { state: 'waiting', comments: [] };
      deployments.set(`${runId}/${environment}`, deployment);
      return deployment;
    },
    deliver: (event, payload, { guid = randomUUID() } = {}) =>
      send({ guid, event, body: JSON.stringify(payload) }, false),
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => server.close(),
  };
  return github;
}

const repositoryPath = /^\/(?:repos\/(?<name>[^/]+\/[^/]+)|repositories\/(?<id>\d+))\/(?<rest>.*)$/u;

interface Asked {
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly document: unknown;
  readonly repositoryId: number;
  readonly groups: Readonly<Record<string, string>>;
}

type Handler = (asked: Asked) => GitHubReply | undefined;

function changeCheckRun(run: FakeCheckRun, version: Static<typeof checkRunUpdate>): Mapping {
  if ((version.status === 'completed') !== (version.conclusion !== undefined))
    throw new Breach('a conclusion exactly if it is completed');
  limited(version.output.summary, 65_535);
  run.name = version.name;
  run.versions.push(version);
  return asGitHubRun(run);
}

function asGitHubRun({ id, name, sha, versions }: FakeCheckRun): Mapping {
  const app = { id: fakeApp.appId, slug: 'compliance-service' };
  return { id, name, head_sha: sha, node_id: `CR_${id}`, ...versions.at(-1), app, pull_requests: [] };
}

function asGitHub({ id, guid, event, body, deliveredAt, redelivery, statusCode }: FakeDelivery): string {
  const payload = parse(body);
  const document = {
    ...{ guid, event, redelivery, duration: 0.03 },
    delivered_at: new Date(deliveredAt).toISOString(),
    status: statusCode === 0 ? 'failed to connect' : statusCode < 400 ? 'OK' : `Invalid HTTP Response: ${statusCode}`,
    status_code: statusCode,
    action: textAt(payload, 'action') ?? null,
    installation_id: valueAt(payload, 'installation', 'id') ?? null,
    repository_id: valueAt(payload, 'repository', 'id') ?? null,
    throttled_at: null,
  };
  return JSON.stringify(document).replace('{', `{"id":${id},`);
}
