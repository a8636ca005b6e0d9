import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type GatedService, saveGate, startGatedService } from '../../support/gated-service.ts';
import { githubEvents, headCommit } from '../../support/github-gate.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm } from '../../support/service-samples.ts';

let gated: GatedService;
beforeEach(async () => {
  gated = await startGatedService();
});
afterEach(async () => {
  expect([gated.github.breaches, gated.service.errors]).toEqual([[], []]);
  await gated.stop();
});

/** Lets GitHub ask for the check of the commit, and waits until it has it. */
const check = async (): Promise<void> => {
  const { github } = gated;
  await github.deliver('pull_request', githubEvents.pullRequest());
  await gated.passUntil(() => github.checkRuns.length > 0);
};

describe('the check of a commit', () => {
  it.each([
    ['flow', { flows: ['api'] }],
    ['repository', { repositories: ['9'] }],
    ['installation', { installation_id: 2 }],
  ])('is forgotten when the gate no longer has its %s', async (_what, change) => {
    await check();
    expect((await saveGate(gated.service, change)).status).toBe(200);
    await gated.settle();
    expect(await gated.service.storage.query('SELECT flow FROM github_answers')).toEqual([]);
  });

  it('fails if the commit has too many trails, because a further one could hide one that fails', async () => {
    for (let index = 0; index < 51; index += 1) {
      const form = attestationForm({ name: `trail-${index}`, git_commit_info: { sha1: headCommit } });
      await call(gated.service, { method: 'PUT', path: '/trails/acme/web', form });
    }
    await check();
    const title = expect.stringContaining('more than 50 trails have it');
    const shown = gated.github.checkRuns.map(({ versions }) => versions.at(-1));
    expect(shown).toMatchObject([{ conclusion: 'failure', output: { title } }]);
  });
});
