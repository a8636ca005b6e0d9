import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GithubApi } from '../../../../src/service/github/sending/github-api.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { fakeApp, type FakeGitHubApp, startGitHubApp } from '../../../support/fake-github-app.ts';

let github: FakeGitHubApp;
let clock: ManualClock;
let api: GithubApi;
beforeEach(async () => {
  github = await startGitHubApp();
  clock = manualClock();
  api = create(fakeApp.privateKey);
});
afterEach(async () => {
  api.close();
  await github.close();
});

const create = (privateKey: string, path = ''): GithubApi =>
  new GithubApi({
    ...{ now: () => clock.now(), after: (wait, fire) => clock.after(wait, fire) },
    app: { appId: fakeApp.appId, apiUrl: github.url + path, privateKey },
  });

describe("the client of GitHub's API", () => {
  it('finds the head commit of a run, with a token that can do nothing else', async () => {
    github.runs.set(88, 'a'.repeat(40));
    expect(await api.findRunCommit(1, '123', '88')).toBe('a'.repeat(40));
    expect(github.breaches).toEqual([]);
    await expect(api.findRunCommit(1, '123', '89')).rejects.toMatchObject({ status: 404 });
  });

  it('asks a GitHub Enterprise Server below its base path', async () => {
    github.runs.set(88, 'a'.repeat(40));
    const enterprise = create(fakeApp.privateKey, '/api/v3');
    expect(await enterprise.findRunCommit(1, '123', '88')).toBe('a'.repeat(40));
    expect(await enterprise.listDeliveries(undefined)).toEqual({ deliveries: [], next: undefined });
    expect(github.requests.map(({ url }) => url.slice(0, 8))).toEqual(github.requests.map(() => '/api/v3/'));
    expect(github.breaches).toEqual([]);
  });

  it('waits for an answer for a limited time', async () => {
    github.fault = () => 'never';
    const asked = expect(api.findRunCommit(1, '123', '88')).rejects.toThrow('no answer within 20 s');
    await github.until(() => github.requests.length === 1);
    await clock.advance(20_000);
    await asked;
  });

  it('says that GitHub rejected its key, and shows no part of it', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const other = create(key);
    await expect(other.findRunCommit(1, '123', '88')).rejects.toThrow(
      /^no token for installation 1 and repository 123: GitHub answered 401: A JSON web token could not be decoded/u,
    );
  });
});
