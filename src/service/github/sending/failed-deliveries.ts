import { type After, type Now, unixSeconds } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { WakingLoop } from '../../platform/background/waking-loop.ts';
import { type GithubApi, GithubError, type WebhookDelivery } from './github-api.ts';

interface Dependencies {
  readonly api: Pick<GithubApi, 'isClosed' | 'listDeliveries' | 'redeliver'>;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** How often GitHub is asked for failed deliveries, in milliseconds. */
const interval = 600_000;
/** The maximum age of a delivery that GitHub can repeat, in seconds (GitHub's documentation: three days). */
const maximumAge = 3 * 86_400;
/** The maximum number of pages of 100 deliveries. */
const maximumPages = 100;

/**
 * Asks GitHub now, and every ten minutes, to deliver again the events that did not arrive: it does not do so by itself.
 * Several processes may ask for the same event, which does no harm.
 */
export function startFailedDeliveries(dependencies: Dependencies): WakingLoop {
  const { api, log } = dependencies;
  const look = async (): Promise<number> => {
    try {
      await askAgain(dependencies);
    } catch (error) {
      if (!(error instanceof GithubError)) throw error;
      if (!api.isClosed) log.info(`GitHub could not be asked to deliver failed webhooks again: ${error.message}`);
    }
    return interval;
  };
  const failure = 'webhooks that GitHub could not deliver could not be asked for; trying again';
  return new WakingLoop({ ...dependencies, storage: undefined }, { look, failure });
}

/** @throws GithubError */
async function askAgain({ api, now, log }: Dependencies): Promise<void> {
  const time = unixSeconds(now());
  const byEvent = Map.groupBy(await listDeliveries(api, time - maximumAge), ({ guid }) => guid);
  const failed = [...byEvent.values()].flatMap((deliveries) => findRepeatable(deliveries, time));
  let refusal: GithubError | undefined;
  for (const { id } of failed) {
    try {
      await api.redeliver(id);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
  }
  if (failed.length > 0) log.info(`asked GitHub to deliver ${failed.length} failed webhooks again`);
  if (refusal !== undefined) throw refusal;
}

/** All deliveries since a time, the newest first. */
async function listDeliveries(api: Dependencies['api'], since: number): Promise<readonly WebhookDelivery[]> {
  const listed: WebhookDelivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maximumPages; page += 1) {
    const { deliveries, next } = await api.listDeliveries(cursor);
    const young = deliveries.filter(({ deliveredAt }) => deliveredAt > since);
    listed.push(...young);
    if (next === undefined || young.length < deliveries.length) break;
    cursor = next;
  }
  return listed;
}

/** Whether GitHub refuses only this request. */
function isRefusal(error: unknown): error is GithubError {
  return error instanceof GithubError && (error.status ?? 500) < 500 && error.retryAt === undefined;
}

/** The latest delivery of an event if it is time to repeat it: at once, and then after waits that double. */
function findRepeatable(deliveries: readonly WebhookDelivery[], now: number): readonly WebhookDelivery[] {
  const [latest] = deliveries;
  if (latest === undefined || !deliveries.every(({ hasFailed }) => hasFailed)) return [];
  const wait = deliveries.length === 1 ? 0 : 300 * 2 ** (deliveries.length - 1);
  return now - latest.deliveredAt >= wait ? [latest] : [];
}
