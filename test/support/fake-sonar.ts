import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../tools/loopback-server.ts';

/** A fake of Sonar's web API on the loopback interface: the endpoints that matter here, with Sonar's messages. */
export interface FakeSonar {
  /** The server's address with its context path, without a trailing slash. */
  readonly url: string;
  /** The data of the server, which a test can change at any time. */
  readonly state: SonarState;
  /** All requests, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Answers the next requests to an endpoint (`api/ce/task`) with these replies instead, one each. */
  instead(path: string, ...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

/** A request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** With the context path. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

/** A response that does not come from Sonar's web API: of a proxy, of a broken server, or a closed connection. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Closes the connection without a response. */
  readonly cut?: boolean;
}

/** Permissions for all projects. */
export interface Permissions {
  readonly browse: boolean;
  readonly execute: boolean;
}

/** The data of the server, in the terms of its web API. */
export interface SonarState {
  /** The valid tokens. Analysis tokens cannot browse. */
  tokens: Record<string, Permissions>;
  /** What requests without a token may do; undefined for 401. */
  anonymous: Permissions | undefined;
  /** Servers before 10.0 support only basic authentication. */
  schemes: readonly ('Bearer' | 'Basic')[];
  /**
   * The states of each background task, the oldest task first, one state for each request; the last one is repeated.
   * Sonar shows `warnings` only on request.
   */
  tasks: Record<string, readonly Record<string, unknown>[]>;
  /** `projectStatus` by analysis. */
  gates: Record<string, Record<string, unknown>>;
  analyses: readonly ListedAnalysis[];
  deletedBranches: readonly string[];
  /** `pullRequests` by project. A project without any is a 404, as in editions without pull requests. */
  pullRequests: Record<string, readonly Record<string, unknown>[]>;
  /** The scanner context by task, which Sonar shows only on request. */
  scannerContexts: Record<string, string>;
  /** Headers of every response. */
  headers: Record<string, string>;
}

/** An analysis of a branch, as `api/project_analyses/search` lists it. */
export interface ListedAnalysis {
  readonly project: string;
  /** Undefined for the main branch. */
  readonly branch?: string;
  readonly key: string;
  readonly date: string;
  readonly revision?: string;
}

/** Starts a server without data, with the user token `squ_user_token_0123` and the analysis token `sqp_analysis_token_0123`. */
export async function startSonarServer(
  options: { contextPath?: string; state?: Partial<SonarState> } = {},
): Promise<FakeSonar> {
  const contextPath = options.contextPath ?? '';
  const state: SonarState = {
    tokens: {
      squ_user_token_0123: { browse: true, execute: true },
      sqp_analysis_token_0123: { browse: false, execute: true },
    },
    anonymous: undefined,
    schemes: ['Bearer', 'Basic'],
    tasks: {},
    gates: {},
    analyses: [],
    deletedBranches: [],
    pullRequests: {},
    scannerContexts: {},
    headers: {},
    ...options.state,
  };
  const requests: RecordedRequest[] = [];
  const replies = new Map<string, Reply[]>();
  const asked = new Map<string, number>();

  const { url, close } = await serve((request, response) => {
    const recorded = record(request);
    requests.push(recorded);
    const path = recorded.path.slice(contextPath.length + 1);
    const reply = replies.get(path)?.shift();
    if (reply !== undefined) {
      replyWith(response, reply);
      return;
    }
    if (!recorded.path.startsWith(`${contextPath}/`)) {
      // Outside the context path, the web container responds.
      replyWith(response, { status: 404, headers: { 'content-type': 'text/html;charset=utf-8' }, body: '<html>' });
      return;
    }
    const answer = answerTo(path, recorded, state, asked);
    const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
    response.writeHead(answer.status, {
      ...(answer.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...state.headers,
    });
    response.end(body);
  });

  return {
    url: url + contextPath,
    state,
    requests,
    instead(path, ...more) {
      replies.set(path, [...(replies.get(path) ?? []), ...more]);
    },
    close,
  };
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

function answerTo(path: string, request: RecordedRequest, state: SonarState, asked: Map<string, number>): Answer {
  const permissions = permissionsOf(request.authorization, state);
  // Sonar's authentication filter responds without a body.
  if (permissions === undefined) return { status: 401 };
  const needed = needs[path];
  if (needed === undefined) return refused(404, `Unknown url : /${path}`);
  if (!needed(permissions)) return refused(403, 'Insufficient privileges');
  return endpoints[path]?.(request.query, state, asked) ?? refused(404, `Unknown url : /${path}`);
}

const needs: Readonly<Record<string, (permissions: Permissions) => boolean>> = {
  'api/ce/task': ({ execute }) => execute,
  'api/ce/component': ({ browse }) => browse,
  'api/qualitygates/project_status': ({ browse, execute }) => browse || execute,
  'api/project_pull_requests/list': ({ browse, execute }) => browse || execute,
  'api/project_analyses/search': ({ browse }) => browse,
};

type Endpoint = (query: RecordedRequest['query'], state: SonarState, asked: Map<string, number>) => Answer;

const endpoints: Readonly<Record<string, Endpoint>> = {
  'api/ce/task'(query, state, asked) {
    const id = query['id'] ?? '';
    const states = state.tasks[id];
    if (states === undefined) return refused(404, `No activity found for task '${id}'`);
    const times = asked.get(id) ?? 0;
    asked.set(id, times + 1);
    const additional = (query['additionalFields'] ?? '').split(',');
    const context = additional.includes('scannerContext') ? state.scannerContexts[id] : undefined;
    const { warnings, ...task } = states[Math.min(times, states.length - 1)] ?? {};
    const shown = {
      ...(context === undefined ? {} : { scannerContext: context }),
      ...(additional.includes('warnings') ? { warnings: warnings ?? [] } : {}),
    };
    return { status: 200, body: { task: { ...task, ...shown } } };
  },
  'api/ce/component'(query, { tasks }) {
    const all = Object.values(tasks).map((states) => states.at(-1) ?? {});
    const current = all.findLast(({ componentKey }) => componentKey === query['component']);
    return { status: 200, body: { queue: [], ...(current === undefined ? {} : { current }) } };
  },
  'api/qualitygates/project_status'(query, state) {
    const id = query['analysisId'];
    if (id === undefined) return refused(400, "Either 'analysisId', 'projectId' or 'projectKey' must be provided");
    const gate = state.gates[id];
    if (gate === undefined) return refused(404, `Analysis with id '${id}' is not found`);
    return { status: 200, body: { projectStatus: gate } };
  },
  'api/project_analyses/search'(query, state) {
    const page = Number(query['p'] ?? 1);
    const size = Number(query['ps'] ?? 100);
    if (size > 500) return refused(400, "'ps' value must be less than 500");
    const branch = query['branch'];
    if (branch !== undefined && state.deletedBranches.includes(branch)) {
      return refused(404, `Component '${query['project'] ?? ''}' on branch '${branch}' not found`);
    }
    const all = state.analyses.filter(
      (analysis) => analysis.project === query['project'] && analysis.branch === branch,
    );
    return {
      status: 200,
      body: {
        paging: { pageIndex: page, pageSize: size, total: all.length },
        analyses: all.slice((page - 1) * size, page * size).map(({ key, date, revision }) => ({
          key,
          date,
          ...(revision === undefined ? {} : { revision }),
          manualNewCodePeriodBaseline: false,
          events: [],
        })),
      },
    };
  },
  'api/project_pull_requests/list'(query, state) {
    const project = query['project'] ?? '';
    const pullRequests = state.pullRequests[project];
    if (pullRequests === undefined) return refused(404, 'Unknown url : /api/project_pull_requests/list');
    return { status: 200, body: { pullRequests } };
  },
};

function permissionsOf(authorization: string | undefined, state: SonarState): Permissions | undefined {
  if (authorization === undefined) return state.anonymous;
  const [scheme = '', credentials = ''] = authorization.split(' ');
  // A server that does not support the scheme treats the request as anonymous.
  if (!state.schemes.some((known) => known === scheme)) return state.anonymous;
  const token = scheme === 'Bearer' ? credentials : Buffer.from(credentials, 'base64').toString('utf8').split(':')[0];
  return state.tokens[token ?? ''];
}

function refused(status: number, message: string): Answer {
  return { status, body: { errors: [{ msg: message }] } };
}

function record(request: IncomingMessage): RecordedRequest {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    authorization: request.headers.authorization,
  };
}

function replyWith(response: ServerResponse, reply: Reply): void {
  if (reply.cut === true) {
    response.destroy();
    return;
  }
  response.writeHead(reply.status ?? 200, reply.headers ?? {});
  response.end(reply.body ?? '');
}
