import type { ComplianceClient } from '../../client/client.ts';
import { listSnapshots as endpoint, type SnapshotEntry } from '../../contract/snapshot.ts';
import { environment, interval, reverse } from '../inputs/environment-inputs.ts';
import { wait } from '../inputs/step-inputs.ts';
import { optional, required, type ValuesOf, withDefault } from '../inputs/input.ts';
import { page, perPage, walkingPageSize } from '../inputs/list-inputs.ts';
import {
  fetchLatestSnapshot,
  findCurrentSnapshot,
  latestSnapshotVerdict,
  describeLatestSnapshot,
} from '../latest-snapshot.ts';
import { defineOperation, type OperationContext, type Pager } from '../operation.ts';
import { fixInterval } from './fixed-interval.ts';
import { type SnapshotListing, createSnapshotResult, SnapshotRows } from './snapshot-result.ts';
import { createSnapshotPager } from './snapshot-pager.ts';
import {
  pollUntilFinal,
  describePending,
  withPollNotes,
  mayRecover,
  type Poll,
  settle,
  type Settled,
  type PollTiming,
} from '../polling.ts';

const inputs = {
  environment: required(environment),
  page: withDefault(page, 1),
  perPage: optional(perPage),
  interval: optional(interval),
  reverse: withDefault(reverse, false),
  waitSeconds: withDefault(wait, 0),
} as const;

type Inputs = ValuesOf<typeof inputs>;
type Listed = Pick<SnapshotListing, 'rows' | 'latest' | 'answer'>;
type JudgedList = Listed & Pick<SnapshotListing, 'waiting'>;

/** Operation 12: lists the snapshots of an environment, a page or all of them, and judges the latest, listed or not. */
export const listSnapshots = defineOperation({
  name: 'list-snapshots',
  endpoint,
  gate: 'ignore',
  inputs,
  async run(values, context) {
    const { page: number } = values;
    const list = number === 'all' ? listAllWhenJudged(values, context) : listPageWhenJudged(values, number, context);
    return createSnapshotResult({ ...values, ...(await list), org: context.org });
  },
});

/** A page, asked for until the latest snapshot is judged. */
async function listPageWhenJudged(values: Inputs, number: number, context: OperationContext): Promise<JudgedList> {
  const { value: listed, waiting } = await pollLatestVerdict(
    (client) => listPage(values, number, { client, org: context.org }),
    ({ latest }) => latest,
    { values, context },
  );
  return { ...listed, waiting };
}

/** Every page. Only the verdict is waited for: the pages are written once. */
async function listAllWhenJudged(values: Inputs, context: OperationContext): Promise<JudgedList> {
  const { value: latest, waiting } = await pollLatestVerdict(
    (client) => fetchLatestSnapshot(client, context.org, values.environment),
    (found) => found,
    { values, context },
  );
  const listed = await context.call.log.group('Walk through the snapshots', () => listAll(values, latest, context));
  return { ...listed, waiting };
}

/**
 * Asks until the latest snapshot in the answer has a verdict, or the time is up.
 *
 * @throws the failure that the last question ended with
 */
async function pollLatestVerdict<Value>(
  ask: (client: ComplianceClient) => Promise<Value>,
  latestOf: (value: Value) => SnapshotEntry | undefined,
  {
    values: { environment: name, waitSeconds },
    context,
  }: { readonly values: Inputs; readonly context: OperationContext },
): Promise<{ readonly value: Value; readonly waiting: PollTiming }> {
  const question: Poll<Settled<Value>> = {
    ask: (client, earlier) => settle(() => ask(client), earlier, context.call.signal),
    missing(sighting) {
      if (sighting.failure !== undefined) {
        return mayRecover(sighting.failure) ? [`environment ${name} ${describePending(sighting.failure)}`] : [];
      }
      const latest = latestOf(sighting.value);
      return latestSnapshotVerdict(latest) === 'incomplete' ? [describeLatestSnapshot(name, latest)] : [];
    },
    failures: ({ failure }) => (failure === undefined ? [] : [failure]),
  };
  const { answer, waiting } = await pollUntilFinal(question, waitSeconds, context);
  if (answer.failure === undefined) return { value: answer.value, waiting };
  const last = answer.last === undefined ? undefined : latestSnapshotVerdict(latestOf(answer.last));
  throw withPollNotes(answer.failure, waiting, last);
}

type Asking = Pick<OperationContext, 'client' | 'org'>;

async function listPage(values: Inputs, number: number, asking: Asking): Promise<Listed> {
  const rows = new SnapshotRows();
  const entries = await fetchPage(values, number, asking);
  rows.add(entries);
  // Another page, an interval or the reverse order need not hold the one that is judged.
  const latest =
    findCurrentSnapshot(entries) ?? (await fetchLatestSnapshot(asking.client, asking.org, values.environment));
  return { rows, latest, answer: { response: entries } };
}

async function listAll(values: Inputs, latest: SnapshotEntry | undefined, context: OperationContext): Promise<Listed> {
  const rows = new SnapshotRows();
  const next: Pager<SnapshotEntry> =
    latest === undefined ? () => Promise.resolve(undefined) : createPager(values, latest.index, context);
  const written = await context.responseFile.writeList(async () => {
    const entries = await next();
    rows.add(entries ?? []);
    return entries;
  });
  return { rows, latest, answer: { response: undefined, written } };
}

function createPager(values: Inputs, latest: number, context: OperationContext): Pager<SnapshotEntry> {
  const { clock, log } = context.call;
  const moment = { latest, now: Math.floor(clock.now() / 1000) };
  const fixed = values.interval === undefined ? undefined : fixInterval(values.interval, moment);
  return createSnapshotPager({
    reverse: values.reverse,
    latest,
    async ask(number) {
      const entries = await fetchPage({ ...values, interval: fixed }, number, context);
      log.info(`page ${number}: ${entries.length} snapshots`);
      return entries;
    },
  });
}

async function fetchPage(values: Inputs, number: number, { client, org }: Asking): Promise<readonly SnapshotEntry[]> {
  const size = values.perPage ?? (values.page === 'all' ? walkingPageSize : undefined);
  const answer = await client.call(endpoint, {
    parameters: { org, env_name: values.environment },
    query: {
      page: number,
      ...(size === undefined ? {} : { per_page: size }),
      ...(values.interval === undefined ? {} : { interval: values.interval }),
      ...(values.reverse ? { reverse: true } : {}),
    },
  });
  return answer.body;
}
