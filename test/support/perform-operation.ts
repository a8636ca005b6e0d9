import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { violations } from '../../src/contract/check.ts';
import type { TSchema } from '../../src/contract/schema.ts';
import type { Job } from '../../src/evidence/job.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import type { OperationResult } from '../../src/operations/operation.ts';
import { type OperationRun, runOperation, type StepContext } from '../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer } from './answering-transport.ts';
import { collectBody } from './collect-bytes.ts';
import type { CollectingLog } from './log.ts';
import { connection, openTestStep } from './test-step.ts';

/** A request as the service would receive it. */
export interface SeenRequest {
  readonly method: string;
  /** Relative to the base address, with the query; a whole URL if it is for another server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if there is none. */
  readonly body: string;
}

/** A response of the service: a status, and a document that is sent as JSON. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly body: unknown;
  /** In addition to the content type. Lowercase names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The result of an operation that was run with inputs as a runner passes them. */
export interface PerformedOperation extends OperationRun {
  readonly requests: readonly SeenRequest[];
  /** Method and path of each request. */
  readonly sent: readonly string[];
  readonly log: CollectingLog;
  /** The content of the response file; undefined if there is none. */
  readonly written: unknown;
}

/** What differs from the usual step. */
export type StepChanges = Partial<Omit<StepContext, 'job'>> & { readonly job?: Partial<Job> };

/**
 * Runs an operation with these inputs and the responses that the test provides.
 *
 * @param workspace the folder that paths are relative to; by default an empty one
 */
export async function performOperation(
  operation: string,
  inputs: Readonly<Record<string, string>>,
  answer: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  workspace?: string,
  { job: ownJob, ...changes }: StepChanges = {},
): Promise<PerformedOperation> {
  const directory = await mkdtemp(join(tmpdir(), 'operation-'));
  const requests: SeenRequest[] = [];
  const transport = answeringTransport(async (request) => {
    const seen = await see(request);
    requests.push(seen);
    const { status, body, headers } = await answer(seen);
    return jsonAnswer(status, body, headers);
  });
  try {
    const { context, log } = openTestStep({ inputs: { ...connection, operation, ...inputs }, transport, directory });
    const job = { ...context.job, workspace: workspace ?? directory, ...ownJob };
    const done = await runOperation({ ...context, job, ...changes });
    const sent = requests.map(({ method, path }) => `${method} ${path}`);
    return { ...done, requests, sent, log, written: await read(done.result.written) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The same response to every request. */
export function always(status: number, body: unknown): () => ScriptedAnswer {
  return () => ({ status, body });
}

/** Responses, or transport errors, one after the other. The last one is repeated. */
export function answersInTurn(
  ...outcomes: readonly [ScriptedAnswer | Error, ...(ScriptedAnswer | Error)[]]
): () => ScriptedAnswer {
  let asked = 0;
  return () => {
    const outcome = outcomes[Math.min(asked, outcomes.length - 1)] ?? outcomes[0];
    asked += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
}

/** The document of the attestation that was sent; it must conform to the schema. */
export function sentAttestation(schema: TSchema, { requests }: PerformedOperation): unknown {
  const body = requests.find(({ path }) => path.startsWith('/attestations/'))?.body ?? '';
  const [, json = ''] = /name="data_json"[^]*?\r\n\r\n([^]*?)\r\n--/u.exec(body) ?? [];
  const document: unknown = JSON.parse(json);
  expect(violations(schema, document)).toEqual([]);
  return document;
}

/** The texts of a report's facts, by label. */
export function reportFacts({ report }: OperationResult): Readonly<Record<string, string>> {
  return Object.fromEntries(report.facts.map(({ label, value }) => [label, value.text]));
}

/** The texts of a report's tables, row by row, by title. */
export function reportTables({ report }: OperationResult): Readonly<Record<string, readonly (readonly string[])[]>> {
  return Object.fromEntries(
    (report.tables ?? []).map(({ title, rows }) => [title, rows.map((row) => row.map((cell) => cell.text))]),
  );
}

async function see({ method, url, headers, body }: HttpRequest): Promise<SeenRequest> {
  const path = url.href.replace(/^https:\/\/compliance\.example\.com\/api\/v2/u, '');
  return { method, path, headers, body: (await collectBody(body?.open() ?? '')).toString('utf8') };
}

async function read(written: { readonly path: string } | undefined): Promise<unknown> {
  return written === undefined ? undefined : JSON.parse(await readFile(written.path, 'utf8'));
}
