import { resolve } from 'node:path';
import { connectGitHubApi, type GitHubApi } from '../../evidence/github/github-api.ts';
import { findSpoolItems, type FoundItem } from '../../evidence/spool/find-spool-items.ts';
import { isMarkedDelivered, readSpoolItem, type SpoolItem } from '../../evidence/spool/read-spool-item.ts';
import { UserError } from '../../runtime/failure.ts';
import { githubToken } from '../inputs/evidence-inputs.ts';
import { spoolPath } from '../inputs/delivery-inputs.ts';
import { flow } from '../inputs/flow-inputs.ts';
import { optional, required } from '../inputs/input.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
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
    if (job.repository === undefined || token === undefined) {
      throw new UserError({
        what: 'replay needs a repository and a `github-token`, because it checks the runs of the evidence with GitHub’s API',
        remedy: 'Run it in a workflow, and do not set `github-token` to an empty text.',
      });
    }
    const { read, rejected } = await log.group('Read the kept evidence', () =>
      readItems(resolve(context.workspace, values.spoolPath)),
    );
    const delivery = new ItemDelivery({ context, api: connect(token, context), flow: values.flow });
    const done: ReplayedItem[] = [];
    await log.group(`Deliver ${read.length} kept items`, async () => {
      for (const [index, { found, item }] of read.entries()) {
        const replayed = await delivery.deliver(found, item);
        done.push(replayed);
        const { state, reason, subject = '' } = replayed;
        const result = reason === undefined ? state : `${state}: ${reason}`;
        log.info(`${index + 1} of ${read.length}: ${subject}, gathered at ${item.manifest.gathered_at}: ${result}`);
      }
    });
    return createReplayResult([...rejected, ...done]);
  },
});

function connect(token: string, { job, call }: OperationContext): GitHubApi {
  const { transport, log, clock, random, signal } = call;
  return connectGitHubApi({
    apiUrl: job.apiUrl,
    token,
    transport,
    log,
    clock,
    random,
    ...(signal === undefined ? {} : { signal }),
  });
}

interface ReadItems {
  /** In the order in which they were gathered. */
  readonly read: readonly { readonly found: FoundItem; readonly item: SpoolItem }[];
  /** What is not delivered now: refused, or delivered before. */
  readonly rejected: readonly ReplayedItem[];
}

async function readItems(folder: string): Promise<ReadItems> {
  const { items, refused } = await findSpoolItems(folder);
  const read: { found: FoundItem; item: SpoolItem }[] = [];
  const rejected: ReplayedItem[] = refused.map(({ name, reason }) => ({ name, state: 'refused', reason }));
  for (const found of items) {
    if (await isMarkedDelivered(found)) {
      rejected.push({ name: found.name, state: 'delivered before' });
      continue;
    }
    const { item, problem } = await readSpoolItem(found);
    if (item === undefined) rejected.push({ name: found.name, state: 'refused', reason: problem });
    else read.push({ found, item });
  }
  return { read: read.toSorted(byTime), rejected };
}

type Readable = ReadItems['read'][number];

function byTime(
  { found: one, item: { manifest: first } }: Readable,
  { found: other, item: { manifest: second } }: Readable,
): number {
  // All times have the same form, so they sort as texts do.
  if (first.gathered_at !== second.gathered_at) return first.gathered_at < second.gathered_at ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}
