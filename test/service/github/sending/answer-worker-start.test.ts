import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { troubles } from '../../../support/fake-github-app.ts';
import { type GatedService, startGatedService } from '../../../support/gated-service.ts';
import { githubEvents } from '../../../support/github-gate.ts';

let gated: GatedService;
/** A service that stopped while GitHub was down, so the check of a pull request waits. */
beforeEach(async () => {
  gated = await startGatedService();
  const { github } = gated;
  github.fault = () => troubles.down;
  await github.deliver('pull_request', githubEvents.pullRequest());
  await gated.settle();
  await gated.pause();
  github.fault = undefined;
});
afterEach(() => gated.stop());

describe('the check of a pull request that waits at the start', () => {
  it('is sent soon, although the clock was set back and the storage fails first', async () => {
    const { github, clock, service } = gated;
    gated.sleep(-86_400_000);
    await service.storage.query('ALTER TABLE github_answers RENAME TO hidden');
    await gated.resume();
    await gated.passUntil(() => gated.service.errors.length > 0);
    await service.storage.query('ALTER TABLE hidden RENAME TO github_answers');
    const begun = clock.now();
    await gated.passUntil(() => github.checkRuns.length > 0);
    expect(clock.now() - begun).toBeLessThan(600_000);
  });

  it('is not sent if the operator gives its installation to another organization', async () => {
    await gated.resume('other');
    gated.sleep(3_600_000);
    await gated.settle();
    expect([gated.github.checkRuns, gated.service.errors]).toEqual([[], []]);
  });
});
