import { idempotencyKeyHeader, keysAcceptedHeader, parseIdempotencyKey } from '../../src/contract/idempotency.ts';
import type { HttpRequest, HttpResponse } from '../../src/http/transport.ts';
import type { OperationResult } from '../../src/operations/operation.ts';
import { runOperation } from '../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer } from './answering-transport.ts';
import { startOfTime } from './clock.ts';
import { collectBody } from './collect-bytes.ts';
import { shas } from './events.ts';
import type { Workspace } from './temporary-workspace.ts';
import { openTestStep } from './test-step.ts';

/** What GitHub says about the run of the sample item. */
export const spoolRunAnswer = {
  id: 4242,
  run_attempt: 2,
  event: 'push',
  head_branch: 'main',
  head_sha: shas.head,
  repository: { full_name: 'acme/widgets' },
  head_repository: { full_name: 'acme/widgets' },
  actor: { login: 'ann' },
  created_at: new Date(startOfTime - 7_200_000).toISOString(),
};

/** The header of a service that honours idempotency keys. */
export const accepts = { [keysAcceptedHeader]: '?1' };

/** The answer of such a service to what it recorded. */
export const recorded = jsonAnswer(201, 'OK', accepts);

/** A page of attestations. */
export function listed(headers: HttpResponse['headers'] = accepts, ...data: readonly unknown[]): HttpResponse {
  const pagination = { total: data.length, page: 1, per_page: 100, page_count: 1 };
  return jsonAnswer(200, { data, pagination }, headers);
}

/** What a replay did. */
export interface Replay {
  readonly result: OperationResult;
  /** The keys in the order in which they were sent, without the id of the run. */
  readonly keys: readonly (string | undefined)[];
  readonly requests: readonly HttpRequest[];
  readonly bodies: readonly string[];
  readonly lines: readonly string[];
}

/** How the servers answer, and what else the step sets. */
export interface ReplayOptions {
  readonly service?: (request: HttpRequest, earlier: number) => HttpResponse;
  readonly github?: () => HttpResponse;
  /** Lists the attestations; by default of a service that honours idempotency keys. */
  readonly list?: () => HttpResponse;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Replays the folder `spools` of the workspace against a service and GitHub. */
export async function replaySpools(workspace: Workspace, options: ReplayOptions = {}): Promise<Replay> {
  const {
    service = () => recorded,
    github = () => jsonAnswer(200, spoolRunAnswer),
    list = () => listed(),
    inputs = {},
  } = options;
  const sent: HttpRequest[] = [];
  const bodies: string[] = [];
  const transport = answeringTransport(async (request) => {
    if (request.url.hostname === 'api.github.com') return github();
    if (request.method === 'GET') return list();
    sent.push(request);
    bodies.push((await collectBody(request.body?.open() ?? '')).toString());
    return service(request, sent.length - 1);
  });
  const { context, log } = openTestStep({
    inputs: {
      operation: 'replay',
      'base-url': 'https://compliance.example.com',
      'api-token': 'the-api-key-of-acme',
      org: 'acme',
      'spool-path': 'spools',
      'github-token': 'ghs_0123456789abcdef',
      retries: '0',
      ...inputs,
    },
    transport,
    directory: workspace.path,
  });
  const { result } = await runOperation(context);
  const keys = sent.map(({ headers }) =>
    parseIdempotencyKey(headers[idempotencyKeyHeader] ?? '')?.replace(/^4242-/u, ''),
  );
  return { result, keys, requests: transport.requests, bodies, lines: log.infos };
}
