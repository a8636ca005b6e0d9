import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { githubError } from '../../../support/fake-github.ts';
import { troubles } from '../../../support/fake-github-app.ts';
import { type GatedService, startGatedService, webhooksOf } from '../../../support/gated-service.ts';
import { githubEvents } from '../../../support/github-gate.ts';
import { commitOf } from '../../../support/service-samples.ts';

let gated: GatedService;
beforeEach(async () => {
  gated = await startGatedService();
});
afterEach(async () => {
  expect([gated.github.breaches, gated.service.errors]).toEqual([[], []]);
  await gated.stop();
});

const deliver = (digit: string): Promise<number> =>
  gated.github.deliver('pull_request', githubEvents.pullRequest(commitOf(digit)), { guid: digit });
const passMinutes = async (count: number): Promise<void> => {
  const { github, clock } = gated;
  const isListed = (): boolean => github.requests.some(({ url }) => url.startsWith('/app/hook/deliveries'));
  for (let minute = 0; minute < count; minute += 1) await clock.advance(60_000);
  await gated.passUntil(isListed);
};
/** The events that GitHub was asked to deliver again, and whether that succeeded. */
const repeated = (): readonly (readonly [string, boolean])[] =>
  gated.github.deliveries
    .filter(({ redelivery }) => redelivery)
    .map(({ guid, statusCode }) => [guid, statusCode === 202] as const);

describe('events that did not arrive', () => {
  it('are asked for again at the start, however many there are', async () => {
    const { github } = gated;
    expect(await deliver('1')).toBe(202);
    await gated.pause();
    for (const digit of ['2', '3']) await deliver(digit);
    // Others, of which nothing is wanted.
    for (let index = 0; index < 120; index += 1) await github.deliver('ping', { zen: index });
    await gated.resume();
    await gated.passUntil(() => github.checkRuns.length === 3);
    await gated.passUntil(() => repeated().length === 122);
    const wanted = repeated().filter(([guid]) => guid.length === 1);
    expect(wanted.toSorted()).toEqual([
      ['2', true],
      ['3', true],
    ]);
  });

  it('are asked for again every ten minutes, and after each failure less often', async () => {
    const { github, service, clock } = gated;
    await passMinutes(1);
    github.target = undefined;
    await deliver('1');
    const begun = clock.now();
    for (let count = 1; count <= 3; count += 1) await gated.passUntil(() => repeated().length === count);
    expect(clock.now() - begun).toBeGreaterThanOrEqual((10 + 20) * 60_000);
    github.target = webhooksOf(service);
    await gated.passUntil(() => github.checkRuns.length === 1);
    expect(repeated().map(([, isAccepted]) => isAccepted)).toEqual([false, false, false, true]);
    // Nothing is left to ask for.
    const asked = github.requests.length;
    await gated.passUntil(() => github.requests.length > asked);
    expect(repeated()).toHaveLength(4);
  });

  it('are left alone when GitHub would not send them any more', async () => {
    const { github } = gated;
    await gated.pause();
    await deliver('1');
    gated.sleep(3 * 86_400_000 + 1000);
    await deliver('2');
    await gated.resume();
    await gated.passUntil(() => github.checkRuns.length === 1);
    expect(repeated()).toEqual([['2', true]]);
  });

  it('are asked for although GitHub refuses to deliver another one again', async () => {
    const { github } = gated;
    await gated.pause();
    for (const digit of ['1', '2']) await deliver(digit);
    const refused = `/app/hook/deliveries/${github.deliveries.find(({ guid }) => guid === '2')?.id}/attempts`;
    github.fault = ({ url }) => (url === refused ? githubError(422, 'It cannot be redelivered') : undefined);
    await gated.resume();
    await gated.passUntil(() => github.checkRuns.length === 1);
    expect(repeated()).toEqual([['1', true]]);
  });

  it('are asked for later if GitHub cannot be asked now', async () => {
    const { github } = gated;
    await gated.pause();
    await deliver('1');
    github.fault = () => troubles.down;
    await gated.resume();
    await github.until(() => github.requests.at(-1)?.url.startsWith('/app/hook') === true);
    github.fault = undefined;
    await gated.passUntil(() => github.checkRuns.length === 1);
  });
});
