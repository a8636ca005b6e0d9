import { resolve } from 'node:path';
import { connectGitHubApi } from '../../evidence/github/github-api.ts';
import { findSpoolItems, type FoundItem } from '../../evidence/spool/find-spool-items.ts';
import { isMarkedDelivered, readSpoolItem } from '../../evidence/spool/read-spool-item.ts';
import { UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { spoolPath } from '../inputs/delivery-inputs.ts';
import { githubToken } from '../inputs/evidence-inputs.ts';
import { flow } from '../inputs/flow-inputs.ts';
import { optional, required } from '../inputs/input.ts';
import { defineOperation } from '../operation.ts';
import { ItemDelivery } from './item-delivery.ts';
import { createReplayResult, type ReplayedItem } from './replay-result.ts';

/** Delivers evidence that earlier steps kept (`on-outage: keep`), in the order in which it was gathered. */
export const replay = defineOperation({
  name: 'replay',
  gate: 'ignore',
  inputs: {
    spoolPath: required(spoolPath),
    flow: optional(flow),
    githubToken: optional(githubToken),
  },
  async run(values, context) {
    const { log } = context.call;
    const { job } = context;
    const { githubToken: token } = values;
    const { apiUrl, repository } = job;
    if (repository === undefined || token === undefined) {
      throw new UserError({
        what: 'replay needs a repository and a `github-token`, because it checks the runs of the evidence with GitHub’s API',
        remedy: 'Run it in a workflow, and do not set `github-token` to an empty text.',
      });
    }
    const { read, rejected } = await log.group('Read the kept evidence', () =>
      readItems(resolve(context.workspace, values.spoolPath)),
    );
    const delivery = new ItemDelivery({
      context,
      api: connectGitHubApi({ ...context.call, apiUrl, token, repository }),
      flow: values.flow,
    });
    const done = await log.group(`Deliver ${read.length} kept items`, () => deliverAll(read, delivery, log));
    return createReplayResult([...rejected, ...done]);
  },
});

async function deliverAll(read: ReadItems['read'], delivery: ItemDelivery, log: Log): Promise<readonly ReplayedItem[]> {
  const done: ReplayedItem[] = [];
  for (const [index, { found, gatheredAt }] of read.entries()) {
    const { item, problem } = await readSpoolItem(found);
    const replayed = item === undefined ? refusedItem(found, problem) : await delivery.deliver(found, item);
    done.push(replayed);
    const { state, limit, reason = limit, subject = found.name } = replayed;
    const result = reason === undefined ? state : `${state}: ${reason}`;
    log.info(`${index + 1} of ${read.length}: ${subject}, gathered at ${gatheredAt}: ${result}`);
  }
  return done;
}

/** An item that can be read. Its content is read again when it is delivered: hostile items could fill the memory. */
interface ReadableItem {
  readonly found: FoundItem;
  /** In ISO 8601. */
  readonly gatheredAt: string;
}

interface ReadItems {
  /** In the order in which they were gathered. */
  readonly read: readonly ReadableItem[];
  /** Items that are not delivered now: refused, or delivered before. */
  readonly rejected: readonly ReplayedItem[];
}

/** For what is not where an item must be. */
const layoutRemedy =
  'Name each folder directly below `spool-path` by the id of the run that kept the evidence, as in `spools/RUN_ID/ARTIFACT/ITEM`, and unpack archives there; with actions/download-artifact, set `path: spools/RUN_ID`.';

async function readItems(path: string): Promise<ReadItems> {
  const { items, refused } = await findSpoolItems(path);
  const read: ReadableItem[] = [];
  const rejected: ReplayedItem[] = refused.map((found) => ({ ...found, state: 'refused', remedy: layoutRemedy }));
  for (const found of items) {
    if (await isMarkedDelivered(found)) {
      rejected.push({ name: found.name, state: 'delivered before' });
      continue;
    }
    const { item, problem } = await readSpoolItem(found);
    if (item === undefined) rejected.push(refusedItem(found, problem));
    else read.push({ found, gatheredAt: item.manifest.gathered_at });
  }
  return { read: read.toSorted(byTime), rejected };
}

function refusedItem({ name }: FoundItem, reason: string): ReplayedItem {
  return { name, state: 'refused', reason };
}

function byTime(one: ReadableItem, other: ReadableItem): number {
  // All times have the same form, so they sort as texts do.
  if (one.gatheredAt !== other.gatheredAt) return one.gatheredAt < other.gatheredAt ? -1 : 1;
  return one.found.name < other.found.name ? -1 : 1;
}
