import type { ComplianceClient } from '../../client/client.ts';
import { listSnapshots as endpoint, type SnapshotEntry } from '../../contract/snapshot.ts';
import { parseSnapshotInterval } from '../../contract/snapshot-expression.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { environment } from '../inputs/environment-inputs.ts';
import { type Input, optional, required, type ValuesOf, withDefault } from '../inputs/input.ts';
import { flag } from '../inputs/input-types.ts';
import { page, pageSizeForAll, perPage } from '../inputs/list-inputs.ts';
import { wait } from '../inputs/step-inputs.ts';
import { defineOperation, type OperationContext, type Pager } from '../operation.ts';
import {
  describePending,
  mayRecover,
  type Poll,
  type PollResult,
  type PollTiming,
  pollUntilFinal,
  settle,
  type Settled,
  withPollNotes,
} from '../polling.ts';
import { summarizeReasons } from '../reasons.ts';
import { fetchLatestSnapshot, findCurrentSnapshot, judgeLatestSnapshot } from './latest-snapshot.ts';
import { resolveInterval } from './resolve-interval.ts';
import { createSnapshotPager } from './snapshot-pager.ts';
import { createSnapshotResult, type SnapshotListing, SnapshotRows } from './snapshot-result.ts';

const interval: Input<string> = {
  name: 'interval',
  parse(value) {
    const parsed = parseSnapshotInterval(value);
    if (!('problem' in parsed)) return { value };
    return {
      problem: `must be an interval of snapshots: ${parsed.problem}`,
      remedy: 'Write, for example, 3..7, ~5..NOW or @{2.days.ago}..NOW; the environment goes in `environment`.',
    };
  },
};

const inputs = {
  environment: required(environment),
  page: withDefault(page, 1),
  perPage: optional(perPage),
  interval: optional(interval),
  reverse: withDefault(flag('reverse'), false),
  waitSeconds: withDefault(wait, 0),
} as const;

type Inputs = ValuesOf<typeof inputs>;
type Listing = Pick<SnapshotListing, 'rows' | 'latest' | 'answer'>;

/** Operation 12: lists the snapshots of an environment, a page or all of them, and judges the latest, listed or not. */
export const listSnapshots = defineOperation({
  name: 'list-snapshots',
  endpoint,
  gate: 'ignore',
  inputs,
  async run(values, context) {
    const { page: number } = values;
    const listing = number === 'all' ? pollThenListAll(values, context) : pollPage(values, number, context);
    return createSnapshotResult({ ...values, ...(await listing), org: context.org });
  },
});

/** Lists one page, again until the latest snapshot is judged. */
async function pollPage(
  values: Inputs,
  number: number,
  context: OperationContext,
): Promise<Listing & { readonly timing: PollTiming }> {
  const { answer: listing, timing } = await pollUntilJudged(
    (client) => listPage(values, number, { client, org: context.org }),
    { values, context },
  );
  return { ...listing, timing };
}

/** Lists every page. Only the verdict is polled: the pages are written once. */
async function pollThenListAll(
  values: Inputs,
  context: OperationContext,
): Promise<Listing & { readonly timing: PollTiming }> {
  const { answer, timing } = await pollUntilJudged(
    async (client) => ({ latest: await fetchLatestSnapshot(client, context.org, values.environment) }),
    { values, context },
  );
  const listing = await context.call.log.group('List the snapshots', () => listAll(values, answer.latest, context));
  return { ...listing, timing };
}

/**
 * Fetches until the latest snapshot in the answer has a verdict, or the time is up.
 *
 * @throws the failure of the last poll
 */
async function pollUntilJudged<Answer extends Pick<Listing, 'latest'>>(
  fetch: (client: ComplianceClient) => Promise<Answer>,
  { values, context }: { readonly values: Inputs; readonly context: OperationContext },
): Promise<PollResult<Answer>> {
  const { environment: name, waitSeconds } = values;
  const poll: Poll<Settled<Answer>> = {
    fetch: (client, previous) => settle(() => fetch(client), previous, context.call.signal),
    pending({ value, failure }) {
      if (failure !== undefined) {
        return mayRecover(failure) ? [`environment ${name} ${describePending(failure)}`] : [];
      }
      const { verdict, sentence, reasons } = judgeLatestSnapshot(name, value.latest);
      return verdict === 'incomplete' ? [summarizeReasons(sentence, reasons, name)] : [];
    },
    failures: ({ failure }) => (failure === undefined ? [] : [failure]),
  };
  const { answer, timing } = await pollUntilFinal(poll, waitSeconds, context);
  if (answer.failure === undefined) return { answer: answer.value, timing };
  const last = answer.last === undefined ? undefined : judgeLatestSnapshot(name, answer.last.latest);
  throw withPollNotes(answer.failure, timing, last?.verdict);
}

type Connection = Pick<OperationContext, 'client' | 'org'>;

async function listPage(values: Inputs, number: number, { client, org }: Connection): Promise<Listing> {
  const rows = new SnapshotRows();
  const entries = await fetchSnapshots(values, number, { client, org });
  rows.add(entries);
  // Another page, an interval or the reverse order may not include the latest snapshot.
  const latest = findCurrentSnapshot(entries) ?? (await fetchLatestSnapshot(client, org, values.environment));
  return { rows, latest, answer: { response: entries } };
}

async function listAll(values: Inputs, latest: SnapshotEntry | undefined, context: OperationContext): Promise<Listing> {
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
  const fixed = values.interval === undefined ? undefined : resolveInterval(values.interval, moment);
  return createSnapshotPager({
    reverse: values.reverse,
    latest,
    async fetchPage(number) {
      const entries = await fetchSnapshots({ ...values, interval: fixed }, number, context);
      log.info(`page ${number}: ${entries.length} snapshots`);
      return entries;
    },
  });
}

async function fetchSnapshots(
  values: Inputs,
  number: number,
  { client, org }: Connection,
): Promise<readonly SnapshotEntry[]> {
  const size = values.perPage ?? (values.page === 'all' ? pageSizeForAll : undefined);
  const answer = await client.call(endpoint, {
    parameters: { org, env_name: values.environment },
    query: omitUndefined({
      page: number,
      per_page: size,
      interval: values.interval,
      ...(values.reverse ? { reverse: true } : {}),
    }),
  });
  return answer.body;
}
