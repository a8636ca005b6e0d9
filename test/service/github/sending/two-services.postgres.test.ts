import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type FakeGitHubApp, startGitHubApp } from '../../../support/fake-github-app.ts';
import { gatedOptions, saveGate, webhooksOf } from '../../../support/gated-service.ts';
import { githubEvents } from '../../../support/github-gate.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { attest, commitOf, sampleAttestation, saveFlow } from '../../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../../support/test-storage.ts';

let storage: TestStorage;
let github: FakeGitHubApp;
let services: readonly TestService[];
beforeEach(async () => {
  storage = await createTestStorage();
  github = await startGitHubApp();
  const start = (): Promise<TestService> => startTestService({ storage, options: gatedOptions(github) });
  services = [await start(), await start()];
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await github.close();
  await storage.remove();
});

it('two services on one database send each answer once, whichever of them was told', async () => {
  const commits = ['1', '2', '3', '4', '5', '6'].map(commitOf);
  const [first, second] = services;
  if (first === undefined || second === undefined) throw new TypeError('there are two services');
  await saveFlow(first);
  await saveGate(first);
  for (const [index, sha] of commits.entries()) {
    github.target = webhooksOf(index % 2 === 0 ? first : second);
    await github.deliver('pull_request', githubEvents.pullRequest(sha));
  }
  await github.until(() => github.checkRuns.length === commits.length);
  await Promise.all(
    commits.map((sha, index) => attest(index % 2 === 0 ? second : first, sampleAttestation('ERROR'), sha)),
  );
  const isRed = (): boolean => github.checkRuns.every(({ versions }) => versions.at(-1)?.conclusion === 'failure');
  await github.until(isRed);
  // Both look again at all that is left.
  await Promise.all([first.stop(), second.stop()]);
  expect(github.checkRuns.map(({ sha, versions }) => [sha, versions.length])).toEqual(
    expect.arrayContaining(commits.map((sha) => [sha, 2])),
  );
  expect(github.checkRuns).toHaveLength(commits.length);
  expect([github.breaches, first.errors, second.errors]).toEqual([[], [], []]);
});
