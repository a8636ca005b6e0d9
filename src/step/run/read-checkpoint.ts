import type { ComplianceClient } from '../../client/client.ts';
import type { Dependencies } from '../../runtime/dependencies.ts';
import { describeError } from '../../runtime/failure.ts';
import { isLogOf, parseCheckpoint } from '../../runtime/transparency-log/checkpoint.ts';

/** How long to wait for a checkpoint, in milliseconds: the step is done, and needs none. */
const timeout = 2000;

/**
 * Reads the current checkpoint of the log of an organization, in one quick request. Undefined if the service has no log,
 * or does not answer with one; the debug log says why.
 */
export async function readCheckpoint(
  client: ComplianceClient,
  org: string,
  { clock, log }: Pick<Dependencies, 'clock' | 'log'>,
): Promise<string | undefined> {
  try {
    const path = ['log', org, 'checkpoint'];
    const answer = await client.until(clock.now(), timeout).download('checkpoint', path, () => undefined);
    const text = answer.toString().trimEnd();
    const checkpoint = parseCheckpoint(text);
    if (checkpoint !== undefined && isLogOf(checkpoint, org)) return text;
    log.debug('The output `checkpoint` is empty: the service answered something else');
  } catch (thrown) {
    log.debug(`The output \`checkpoint\` is empty: ${describeError(thrown)}`);
  }
  return undefined;
}
