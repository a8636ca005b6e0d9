import type { QueryOf } from '../contract/endpoint.ts';
import { listSnapshots as endpoint, type SnapshotEntry } from '../contract/snapshot.ts';
import { environment } from './inputs/environment.ts';
import { optional, required, withDefault, type ValuesOf } from './inputs/input.ts';
import { page, perPage, walkingPageSize } from './inputs/list.ts';
import { interval, reverse } from './inputs/snapshots.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { fixedInterval } from './snapshot-interval.ts';
import { isCurrent, snapshotListResult, SnapshotRows, type ListedSnapshots } from './snapshot-list-result.ts';
import { walkSnapshots } from './snapshot-pages.ts';

const inputs = {
  environment: required(environment),
  page: withDefault(page, 1),
  perPage: optional(perPage),
  interval: optional(interval),
  reverse: withDefault(reverse, false),
} as const;

type Inputs = ValuesOf<typeof inputs>;
type Listed = Pick<ListedSnapshots, 'rows' | 'latest' | 'answer'>;

/** Operation 12: lists the snapshots of an environment, a page or all of them, and judges the latest, listed or not. */
export const listSnapshots = defineOperation({
  name: 'list-snapshots',
  endpoint,
  gate: 'ignore',
  inputs,
  async run(values, context) {
    const { page: number } = values;
    const listed =
      number === 'all'
        ? await context.call.log.group('Walk through the snapshots', () => listAll(values, context))
        : await listPage(values, number, context);
    return snapshotListResult({ ...values, ...listed, org: context.org });
  },
});

async function listPage(values: Inputs, number: number, context: OperationContext): Promise<Listed> {
  const rows = new SnapshotRows();
  const entries = await askPage(values, number, context);
  rows.add(entries);
  // Another page, an interval or the reverse order need not hold the one that is judged.
  const latest = entries.find(isCurrent) ?? (await askLatest(values.environment, context));
  return { rows, latest, answer: { response: entries } };
}

async function listAll(values: Inputs, context: OperationContext): Promise<Listed> {
  const rows = new SnapshotRows();
  const latest = await askLatest(values.environment, context);
  async function* pages(): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
    if (latest === undefined) return;
    for await (const entries of everyPage(values, latest.index, context)) {
      rows.add(entries);
      yield entries;
    }
  }
  const written = await context.responseFile.writeList(pages());
  return { rows, latest, answer: { response: undefined, written } };
}

function everyPage(
  values: Inputs,
  latest: number,
  context: OperationContext,
): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
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

function askPage(values: Inputs, number: number, context: OperationContext): Promise<readonly SnapshotEntry[]> {
  const size = values.perPage ?? (values.page === 'all' ? walkingPageSize : undefined);
  return ask(values.environment, context, {
    page: number,
    ...(size === undefined ? {} : { per_page: size }),
    ...(values.interval === undefined ? {} : { interval: values.interval }),
    ...(values.reverse ? { reverse: true } : {}),
  });
}

/** The snapshot that shows what runs now; undefined where nothing was ever reported. */
async function askLatest(name: string, context: OperationContext): Promise<SnapshotEntry | undefined> {
  const [latest] = await ask(name, context, { page: 1, per_page: 1 });
  return latest;
}

async function ask(
  name: string,
  { client, org }: OperationContext,
  query: QueryOf<typeof endpoint>,
): Promise<readonly SnapshotEntry[]> {
  const answer = await client.call(endpoint, { parameters: { org, env_name: name }, query });
  return answer.body;
}
