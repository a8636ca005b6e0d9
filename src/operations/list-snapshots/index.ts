import type { ComplianceClient } from '../../client/client.ts';
import { listSnapshots as endpoint, type SnapshotEntry } from '../../contract/snapshot.ts';
import { environment, interval, reverse } from '../inputs/environment-inputs.ts';
import { wait } from '../inputs/step-inputs.ts';
import { optional, required, type ValuesOf, withDefault } from '../inputs/input.ts';
import { page, perPage, walkingPageSize } from '../inputs/list-inputs.ts';
import { askLatest, currentOf, verdictOfLatest, wordsOfLatest } from '../latest-snapshot.ts';
import { defineOperation, type OperationContext, type PageWalk } from '../operation.ts';
import { fixedInterval } from './fixed-interval.ts';
import { type ListedSnapshots, snapshotListResult, SnapshotRows } from './snapshot-result.ts';
import { walkSnapshots } from './snapshot-pager.ts';
import {
  askUntilFinal,
  awaitedWords,
  failureAfterWaiting,
  isAwaited,
  type Question,
  sight,
  type Sighting,
  type Waiting,
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
type Listed = Pick<ListedSnapshots, 'rows' | 'latest' | 'answer'>;
type JudgedList = Listed & Pick<ListedSnapshots, 'waiting'>;

/** Operation 12: lists the snapshots of an environment, a page or all of them, and judges the latest, listed or not. */
export const listSnapshots = defineOperation({
  name: 'list-snapshots',
  endpoint,
  gate: 'ignore',
  inputs,
  async run(values, context) {
    const { page: number } = values;
    const list = number === 'all' ? awaitAll(values, context) : awaitPage(values, number, context);
    return snapshotListResult({ ...values, ...(await list), org: context.org });
  },
});

/** A page, asked for until the latest snapshot is judged. */
async function awaitPage(values: Inputs, number: number, context: OperationContext): Promise<JudgedList> {
  const { value: listed, waiting } = await untilJudged(
    (client) => listPage(values, number, { client, org: context.org }),
    ({ latest }) => latest,
    { values, context },
  );
  return { ...listed, waiting };
}

/** Every page. Only the verdict is waited for: the pages are written once. */
async function awaitAll(values: Inputs, context: OperationContext): Promise<JudgedList> {
  const { value: latest, waiting } = await untilJudged(
    (client) => askLatest(client, context.org, values.environment),
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
async function untilJudged<Value>(
  ask: (client: ComplianceClient) => Promise<Value>,
  latestOf: (value: Value) => SnapshotEntry | undefined,
  {
    values: { environment: name, waitSeconds },
    context,
  }: { readonly values: Inputs; readonly context: OperationContext },
): Promise<{ readonly value: Value; readonly waiting: Waiting }> {
  const question: Question<Sighting<Value>> = {
    ask: (client, earlier) => sight(() => ask(client), earlier, context.call.signal),
    missing(sighting) {
      if (sighting.failure !== undefined) {
        return isAwaited(sighting.failure) ? [`environment ${name} ${awaitedWords(sighting.failure)}`] : [];
      }
      const latest = latestOf(sighting.value);
      return verdictOfLatest(latest) === 'incomplete' ? [wordsOfLatest(name, latest)] : [];
    },
    failures: ({ failure }) => (failure === undefined ? [] : [failure]),
  };
  const { answer, waiting } = await askUntilFinal(question, waitSeconds, context);
  if (answer.failure === undefined) return { value: answer.value, waiting };
  const last = answer.last === undefined ? undefined : verdictOfLatest(latestOf(answer.last));
  throw failureAfterWaiting(answer.failure, waiting, last);
}

type Asking = Pick<OperationContext, 'client' | 'org'>;

async function listPage(values: Inputs, number: number, asking: Asking): Promise<Listed> {
  const rows = new SnapshotRows();
  const entries = await askPage(values, number, asking);
  rows.add(entries);
  // Another page, an interval or the reverse order need not hold the one that is judged.
  const latest = currentOf(entries) ?? (await askLatest(asking.client, asking.org, values.environment));
  return { rows, latest, answer: { response: entries } };
}

async function listAll(values: Inputs, latest: SnapshotEntry | undefined, context: OperationContext): Promise<Listed> {
  const rows = new SnapshotRows();
  const next: PageWalk<SnapshotEntry> =
    latest === undefined ? () => Promise.resolve(undefined) : everyPage(values, latest.index, context);
  const written = await context.responseFile.writeList(async () => {
    const entries = await next();
    rows.add(entries ?? []);
    return entries;
  });
  return { rows, latest, answer: { response: undefined, written } };
}

function everyPage(values: Inputs, latest: number, context: OperationContext): PageWalk<SnapshotEntry> {
  const { clock, log } = context.call;
  const moment = { latest, now: Math.floor(clock.now() / 1000) };
  const fixed = values.interval === undefined ? undefined : fixedInterval(values.interval, moment);
  return walkSnapshots({
    reverse: values.reverse,
    latest,
    async ask(number) {
      const entries = await askPage({ ...values, interval: fixed }, number, context);
      log.info(`page ${number}: ${entries.length} snapshots`);
      return entries;
    },
  });
}

async function askPage(values: Inputs, number: number, { client, org }: Asking): Promise<readonly SnapshotEntry[]> {
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
