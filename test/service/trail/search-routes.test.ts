import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';

const commit = {
  sha1: 'c'.repeat(40),
  author: 'Grace Hopper <grace@navy.example>',
  branch: 'feature/login-form',
  message: 'Fix the Übergang\n\nhidden body',
  timestamp: 1,
};

const linus = { author: 'Linus', branch: 'trunk' };

describe('the search for words of trails', () => {
  let storage: TestStorage;
  let service: TestService;
  /** Has a flow, a trail and a backlog of the same names. */
  let other: TestService;
  beforeEach(async () => {
    storage = await createTestStorage();
    service = await startTestService({ storage });
    other = { ...service, org: 'aaa', apiKey: await service.createOrganization('aaa') };
    for (const place of [other, service]) await saveFlow(place);
    await report(other, { filename: 'theirs.tar' });
    await report(service, {
      ...{ filename: 'registry.example/shop/web:1.2.3', build_url: 'https://github.com/acme/web/actions/runs/987654/' },
      git_commit_info: commit,
    });
    const pull = { url: 'https://github.com/acme/web/pull/4711', merge_commit: '', state: 'OPEN', approvers: [] };
    const document = {
      ...{ attestation_name: 'pull-request', git_provider: 'github', pull_requests: [{ ...pull, commits: [] }] },
      git_commit_info: commit,
    };
    const form = attestationForm(document, { name: 'results-june.xml', content: 'x' });
    const path = '/attestations/acme/web/trail/main/pull_request';
    expect(await call(service, { method: 'POST', path, form })).toMatchObject({ status: 201 });
    await saveFlow(service, { name: 'api' });
    for (const place of ['web/trail/other', 'api/trail/main']) {
      const other = sampleAttestation('OK', { git_commit_info: { ...commit, message: 'Nothing', ...linus } });
      await call(service, { method: 'POST', path: `/attestations/acme/${place}/sonar`, form: attestationForm(other) });
    }
  });
  afterEach(async () => {
    await service.stop();
    await storage.remove();
  });

  /** The trails that are found, as `flow/trail`, in the order of the page. */
  const search = async (text: string, place = service): Promise<readonly string[]> => {
    const at = `${service.url}/${place.org}/search?q=${encodeURIComponent(text)}`;
    const { status, text: page } = await call(service, { at, path: '', key: place.apiKey });
    expect(status).toBe(200);
    return Array.from(page.matchAll(/\/flows\/(\w+)\/trails\/(\w+)"/gu), ([, flow, trail]) => `${flow}/${trail}`);
  };
  const expectFound = async (flow = 'web'): Promise<void> => {
    for (const text of [
      '#4711',
      'GRACE',
      'navy.example',
      'login-f',
      'logi',
      'web:1.2.3',
      '987654',
      'results-j',
      'übergang fix',
    ]) {
      expect([text, await search(text)]).toEqual([text, [`${flow}/main`]]);
    }
    for (const text of [
      'hidden',
      'theirs',
      'grac fix nothing',
      'übergang grac',
      'übergang linus',
      '471100',
      '%',
      '_',
    ]) {
      expect([text, await search(text)]).toEqual([text, []]);
    }
    expect(await search('linus')).toEqual(['api/main', `${flow}/other`]);
    expect([await search('theirs', other), await search('4711', other)]).toEqual([['web/main'], []]);
  };

  it('finds numbers, people, branches, tags, files and messages, also after a rename', async () => {
    await expectFound();
    const renamed = { method: 'PUT', path: '/flows/acme/web/rename', json: { new_name: 'shop' } } as const;
    expect((await call(service, renamed)).status).toBe(200);
    await expectFound('shop');
  });

  it('finds what was recorded before an upgrade, after the next start', async () => {
    await service.stop();
    await storage.query('DELETE FROM search_words');
    await storage.query("INSERT INTO search_words (org, word, place) VALUES ('aaa', '', 1000), ('acme', '', 1000)");
    service = await startTestService({ storage });
    while ((await search('4711')).length === 0) await Promise.resolve();
    await expectFound();
  });
});
