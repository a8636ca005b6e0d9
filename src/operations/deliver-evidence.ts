import { resolve } from 'node:path';
import type { EndpointCall, EndpointResult } from '../client/endpoint-call.ts';
import { mayBeDeliveredLater, withNote } from '../client/failure-kinds.ts';
import type { FilePart } from '../client/request-body.ts';
import { ServiceError } from '../client/service-error.ts';
import type { EvidenceEndpoint } from '../contract/evidence-endpoints.ts';
import { defectRemedy, describeError, Failure, UserError } from '../runtime/failure.ts';
import { RunnerFileError } from '../runtime/runner-file.ts';
import { isMapping, textAt } from '../runtime/untrusted-data.ts';
import type { deliveryInputs } from './inputs/delivery-inputs.ts';
import type { ValuesOf } from './inputs/input.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import { fact, type Report, type Table } from './report.ts';

/** Evidence that the service did not take, in a spool. */
export interface KeptEvidence {
  readonly spoolPath: string;
  /** The folder of the item in it. */
  readonly item: string;
  /** Why it could not be delivered. */
  readonly failure: Failure;
}

/** What became of evidence that the service did not take; both undefined if it did. */
export interface Undelivered {
  readonly kept?: KeptEvidence | undefined;
  /** Why it was neither delivered nor kept. */
  readonly lost?: Failure | undefined;
}

/** The outcome of a delivery: the answer of the service, the evidence in a spool, or why there is neither. */
export type Delivery<E extends EvidenceEndpoint> =
  | { readonly answer: EndpointResult<E>; readonly kept?: never; readonly lost?: never }
  | { readonly answer?: never; readonly kept: KeptEvidence; readonly lost?: never }
  | { readonly answer?: never; readonly kept?: never; readonly lost: Failure };

interface DeliverySettings extends ValuesOf<typeof deliveryInputs> {
  /** When the evidence was gathered, in milliseconds since the epoch. */
  readonly gatheredAt: number;
}

/**
 * Sends evidence. With `on-outage: keep`, evidence that the service cannot take now is written into a spool.
 *
 * @throws Failure if it is not delivered, and was not to be kept
 */
export async function deliverEvidence<E extends EvidenceEndpoint>(
  endpoint: E,
  call: EndpointCall<E>,
  settings: DeliverySettings,
  context: OperationContext,
): Promise<Delivery<E>> {
  try {
    return { answer: await context.client.call(endpoint, call) };
  } catch (failure) {
    const isCancelled = context.call.signal?.aborted === true;
    if (settings.onOutage !== 'keep' || isCancelled || !mayBeDeliveredLater(failure)) throw failure;
    const spoolPath =
      settings.spoolPath === undefined
        ? resolve(context.temporaryDirectory, 'spool')
        : resolve(context.workspace, settings.spoolPath);
    try {
      return { kept: { spoolPath, item: await keep(endpoint, call, { ...settings, spoolPath }, context), failure } };
    } catch (thrown) {
      context.call.log.debug(thrown instanceof Error ? (thrown.stack ?? '') : '');
      return {
        lost: withFurtherNote(failure, `The evidence could not be kept either: ${whyNotKept(thrown, settings)}`),
      };
    }
  }
}

/** The reason and its remedy, as sentences. */
function whyNotKept(thrown: unknown, { spoolPath }: DeliverySettings): string {
  if (thrown instanceof Failure) return `${thrown.message}. ${thrown.remedy}`;
  // Only errors of the system have it. Those of reading an attachment are failures already.
  if (textAt(thrown, 'syscall') === undefined) {
    return `a defect in compliance-action: ${describeError(thrown)}. ${defectRemedy}`;
  }
  const variable = spoolPath === undefined ? 'RUNNER_TEMP' : '`spool-path`';
  const { message, remedy } = new RunnerFileError({ variable, holds: 'it' }, thrown);
  return `${message}. ${remedy}`;
}

/** Writes the request into the spool, as it would be sent. Returns the path of the item. */
async function keep<E extends EvidenceEndpoint>(
  endpoint: E,
  call: EndpointCall<E>,
  { gatheredAt, spoolPath }: DeliverySettings & { readonly spoolPath: string },
  { client, call: { random }, job }: OperationContext,
): Promise<string> {
  const [{ toSpoolRun }, { writeSpoolItem }] = await Promise.all([
    import(/* webpackChunkName: 'keep' */ '../evidence/spool/spool-run.ts'),
    import(/* webpackChunkName: 'keep' */ '../evidence/spool/write-spool-item.ts'),
  ]);
  const run = toSpoolRun(job);
  const { key, document } = await client.prepare(endpoint, call);
  const commit = textAt(document, 'git_commit_info', 'sha1');
  if (run === undefined || key === undefined || !isMapping(document)) {
    throw new UserError({ what: 'only a run of GitHub can keep evidence', remedy: 'Remove `on-outage`.' });
  }
  if (commit !== run.head_sha) {
    throw new UserError({
      what: `the evidence is for commit ${commit ?? '(none)'}, but GitHub lists this run for commit ${run.head_sha}, so a replay could not check it`,
      remedy: 'Attest in a run for the commit itself.',
    });
  }
  const parameters: Readonly<Record<string, unknown>> = call.parameters;
  const named = Object.entries(parameters).flatMap(([name, value]) =>
    name === 'org' || typeof value !== 'string' ? [] : [[name, value] as const],
  );
  const file: FilePart | undefined = call.file;
  return writeSpoolItem(
    {
      operation: endpoint.operation,
      parameters: Object.fromEntries(named),
      document,
      idempotency_key: key,
      gathered_at: new Date(gatheredAt).toISOString(),
      run,
    },
    file,
    { folder: spoolPath, random },
  );
}

/** Adds a note to those that the failure has. */
function withFurtherNote(failure: Failure, note: string): Failure {
  const earlier = failure instanceof ServiceError ? failure.facts.note : undefined;
  return withNote(failure, earlier === undefined ? note : `${earlier} ${note}`);
}

/**
 * The result of an operation whose evidence may not be on record. A verdict that is known without the service and keeps
 * the gate closed stays; otherwise the outcome is `kept`, because nothing is on record yet.
 *
 * @throws why the evidence was neither delivered nor kept, if no verdict keeps the gate closed
 */
export function withUndelivered(result: OperationResult, { kept, lost }: Undelivered): OperationResult {
  if (lost !== undefined) return withLostEvidence(result, lost);
  return kept === undefined ? result : withKeptEvidence(result, kept);
}

function withLostEvidence(result: OperationResult, lost: Failure): OperationResult {
  const { outcome, conclusion, report } = result;
  if (outcome === 'compliant' || outcome === 'done') throw lost;
  const facts = [...fact('Not recorded', `${lost.message}\n${lost.remedy}`), ...report.facts];
  const what = 'The service did not confirm the evidence, and it could not be kept either.';
  return { ...result, conclusion: `${conclusion} ${what}`, lost, report: { ...report, facts } };
}

function withKeptEvidence(result: OperationResult, kept: KeptEvidence): OperationResult {
  const { spoolPath, item, failure } = kept;
  const what = `The service did not confirm the evidence, so it was kept in ${item}. Upload the folder of the output \`spool-path\` as an artifact, and deliver it with \`operation: replay\`. The reason: ${failure.message}`;
  const { failure: partial, outcome, ...rest } = result;
  const known = {
    ...rest,
    conclusion: `${result.conclusion} ${what}`,
    response: { kept: { spool_path: spoolPath, item, reason: failure.message } },
    spoolPath,
    report: {
      ...unmarked(result.report),
      facts: [...fact('Kept in', item), ...fact('Not delivered', failure.message), ...result.report.facts],
    },
  };
  if (partial !== undefined) return { ...known, outcome: 'error', failure: partial };
  return { ...known, outcome: outcome === 'compliant' || outcome === 'done' ? 'kept' : outcome };
}

/**
 * The report without what readers take for a record: the table of the evidence, whose place the conclusion takes, and
 * the marks of what is good.
 */
function unmarked({ subject, facts, tables = [], copies }: Report): Report {
  const rows = (table: Table): Table['rows'] =>
    table.rows.map((row) => row.map((cell) => ({ ...cell, text: cell.text.replace(/^✅ /u, '') })));
  const unmarkedTables = tables.map((table) => ({ ...table, rows: rows(table) }));
  return { subject, facts, tables: unmarkedTables, ...(copies === undefined ? {} : { copies }) };
}
