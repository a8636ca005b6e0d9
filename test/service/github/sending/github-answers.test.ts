import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GithubAnswers } from '../../../../src/service/github/sending/github-answers.ts';
import { SqliteStorage } from '../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { Judging } from '../../../../src/service/platform/judging/judging.ts';
import { Links } from '../../../../src/service/platform/links.ts';
import { fakeApp, type FakeGitHubApp, startGitHubApp, troubles } from '../../../support/fake-github-app.ts';
import { sampleGate } from '../../../support/github-gate.ts';
import { Records } from '../../../support/records.ts';
import { commitOf } from '../../../support/service-samples.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../support/test-storage.ts';

let folder: string;
let storage: SqliteStorage;
let github: FakeGitHubApp;
let answers: GithubAnswers;
beforeEach(async () => {
  folder = await createDataFolder();
  storage = new SqliteStorage(folder, storageDependencies());
  github = await startGitHubApp();
  github.runs.set(88, commitOf('8'));
  const installations = new Map([[1, 'acme']]);
  answers = new GithubAnswers({
    ...storageDependencies(),
    ...{ storage, judging: new Judging(), links: new Links(() => 'https://compliance.example.com', '/api/v2') },
    app: { ...fakeApp, apiUrl: github.url, installations },
  });
  for (const [org, repository] of Object.entries({ acme: '123', other: '124' })) {
    await new Records(storage).createOrganization(org, 1);
    const gate = { ...sampleGate, flows: ['web'], repositories: [repository], wait: '30m' };
    const recorded = { name: 'shop', created_at: 1, created_by: 'ann', last_modified_at: 1 };
    await storage.transaction(org, ({ githubGates }) => githubGates.save(org, { ...gate, ...recorded }));
  }
});
afterEach(async () => {
  await answers.stop();
  await github.close();
  await storage.close();
  await rm(folder, { recursive: true });
});

describe('the head commit of a run', () => {
  const find = (org: string, repository_id: string, run_id = '88'): Promise<string | undefined> =>
    answers.findRunCommit(org, { issuer: 'https://issuer.example.com', repository_id, run_id });

  it('is what GitHub says', async () => {
    expect(await find('acme', '123')).toBe(commitOf('8'));
    expect(await find('acme', '123', '89')).toBe(undefined);
    github.fault = () => troubles.down;
    expect(await find('acme', '123')).toBe(undefined);
  });

  it('is not asked for without a gate, or through the installation of another organization', async () => {
    expect(await find('acme', '124')).toBe(undefined);
    expect(await find('other', '124')).toBe(undefined);
    expect(github.requests).toEqual([]);
  });
});
