import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { artifact } from '../../../src/contract/artifact.ts';
import { listArtifacts, searchArtifacts } from '../../../src/contract/artifact-lists.ts';
import { conforms } from '../../../src/contract/check.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { commitOf, fingerprintOf, report, sampleArtifact, saveFlow } from '../../support/service-samples.ts';

const [first, second] = [fingerprintOf('aaaaaa'), fingerprintOf('bbbbbb')];
const commitOn = (sha1: string, branch: string): { sha1: string; branch: string } => ({ sha1, branch });

describe('the lists of artifacts', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await saveFlow(service);
    await saveFlow(service, { name: 'empty' });
    await saveFlow(service, { name: 'later' });
    await report(service, {
      fingerprint: first,
      git_commit_info: commitOn(commitOf('1'), 'main'),
      repo_info: { name: 'acme/shop', url: 'https://git.example.com/acme/shop' },
    });
    await report(service, {
      fingerprint: second,
      git_commit: commitOf('2'),
      git_commit_info: commitOn(commitOf('2'), 'fix'),
      trail_name: 'other',
    });
  });
  afterAll(() => stopWithoutErrors(service));

  const get = (path: string): Promise<Called> => call(service, { path });
  const listFingerprints = (body: unknown): unknown =>
    Array.isArray(body) ? body.map((entry: unknown) => (entry as { fingerprint: string }).fingerprint) : body;

  it('name the commit of the previous artifact, on a branch if asked', async () => {
    const latest = async (fingerprint: string, query = '', flow = 'web'): Promise<unknown> =>
      (await get(`/artifacts/acme/${flow}/${fingerprint}/latest_commit${query}`)).body;
    expect(await latest(fingerprintOf('ffffff'))).toEqual({ latest_commit: commitOf('2') });
    expect(await latest(second)).toEqual({ latest_commit: commitOf('1') });
    expect(await latest(second, '?branch=main')).toEqual({ latest_commit: commitOf('1') });
    expect(await latest(second, '?branch=fix')).toEqual({ latest_commit: null });
    expect(await latest(second, '', 'empty')).toEqual({ latest_commit: null });
    expect(await latest(second, '', 'unknown')).toEqual({
      message: "Flow named 'unknown' does not exist for organization 'acme'",
    });
  });

  it('list the artifacts of a commit, each with its latest report', async () => {
    const list = async (query = '', commit = commitOf('2')): Promise<unknown> =>
      (await get(`/artifacts/acme/web/commit_sha/${commit}${query}`)).body;
    const found = await list();
    expect(listFingerprints(found)).toEqual([second]);
    expect(Array.isArray(found) && found.every((entry) => conforms(artifact, entry))).toBe(true);
    expect(listFingerprints(await list('?trail=other'))).toEqual([second]);
    expect(await list('?trail=main')).toEqual([]);
    expect(await list('', commitOf('9'))).toEqual([]);
    expect((await get(`/artifacts/acme/web/commit_sha/123`)).status).toBe(400);
  });

  it('list the reports of a flow or of a repository, the latest first, in pages', async () => {
    const { body } = await get('/artifacts/acme?flow_name=web');
    expect(conforms(listArtifacts.success[0].schema, body)).toBe(true);
    expect(body).toMatchObject([
      { fingerprint: second, git_commit: commitOf('2'), state: 'INCOMPLETE', filename: 'web.tar', trail_name: 'other' },
      { fingerprint: first, created_at: expect.stringMatching(/^\d+(\.\d+)?$/) },
    ]);
    expect(listFingerprints((await get('/artifacts/acme?flow_name=web&page=2&per_page=1')).body)).toEqual([first]);
    expect((await get('/artifacts/acme?flow_name=web&page=3&per_page=1')).body).toEqual([]);
    expect((await get('/artifacts/acme?flow_name=empty')).body).toEqual([]);
    expect(listFingerprints((await get('/artifacts/acme?repo_name=acme/shop')).body)).toEqual([first]);
    expect((await get('/artifacts/acme?repo_name=acme/shop&page=2')).body).toEqual([]);
  });

  it.each([
    ['flow_name=unknown', 404, { message: "Flow named 'unknown' does not exist for organization 'acme'" }],
    ['repo_name=unknown', 404, { message: "Repo 'unknown' not found" }],
    ['', 400, expect.objectContaining({ errors: { 'query.flow_name': expect.stringContaining('repo_name') } })],
    ['flow_name=web&repo_name=x', 400, expect.anything()],
    ['flow_name=web&per_page=101', 400, expect.anything()],
  ])('answer an error to the query "%s"', async (query, status, body) => {
    expect(await get(`/artifacts/acme?${query}`)).toMatchObject({ status, body });
  });

  it('find artifacts by the first digits of a fingerprint or commit', async () => {
    const { body } = await get('/search/acme/sha/aaaaaa');
    expect(conforms(searchArtifacts.success[0].schema, body)).toBe(true);
    expect(body).toMatchObject({
      resolved_to: {
        type: 'fingerprint',
        full_match: first,
        fingerprints: { type: 'fingerprint', count: 1, matches: [first] },
        commits: { type: 'commit', count: 0, matches: [] },
      },
      artifacts: [
        {
          ...{ fingerprint: first, name: 'web.tar', flow: 'web', git_commit: commitOf('1'), has_provenance: true },
          ...{ compliance_state: 'INCOMPLETE', running_in: [], exited_from: [] },
          history: [{ event: 'web.tar reported', timestamp: expect.any(Number) }],
        },
      ],
    });
    expect((await get('/search/acme/sha/22222')).body).toMatchObject({
      resolved_to: { type: 'commit', full_match: commitOf('2') },
      artifacts: [{ fingerprint: second }],
    });
    expect(await get('/search/acme/sha/99999')).toMatchObject({
      status: 404,
      body: { message: "No matches for '99999'." },
    });
    expect((await get('/search/acme/sha/abc')).status).toBe(400);
  });

  it('say that digits are ambiguous', async () => {
    const json = sampleArtifact({ fingerprint: fingerprintOf('1111111'), git_commit: commitOf('3') });
    await call(service, { method: 'POST', path: '/artifacts/acme/later', json });
    expect((await get('/search/acme/sha/11111')).body).toMatchObject({
      resolved_to: { type: 'ambiguous', full_match: '', fingerprints: { count: 1 }, commits: { count: 1 } },
    });
  });

  it('take the deprecated report, whose trail is named after the commit', async () => {
    const { trail_name, ...deprecated } = sampleArtifact({
      fingerprint: fingerprintOf('ddd'),
      git_commit: commitOf('4'),
    });
    expect(trail_name).toBe('main');
    const listed = { sha1: commitOf('4'), message: 'feat', author: 'Ann <a@b.c>', timestamp: 5, branch: 'main' };
    const commits_list = [
      { ...listed, sha1: commitOf('5') },
      { ...listed, parents: [commitOf('5')] },
    ];
    expect(
      await call(service, { method: 'POST', path: '/artifacts/acme/later', json: { ...deprecated, commits_list } }),
    ).toMatchObject({ status: 201 });
    const found = await get(`/artifacts/acme/later/fingerprint/${fingerprintOf('ddd')}`);
    expect(mappingOf(found)).toMatchObject({ trail_name: commitOf('4'), git_commit_info: commits_list[1] });
    expect(mappingOf(found)).not.toHaveProperty('commits_list');
  });

  it('reject an invalid fingerprint of an external URL', async () => {
    const json = {
      ...sampleArtifact(),
      external_urls: { docs: { href: 'https://d.example.com', fingerprint: 'abc' } },
    };
    const answer = await call(service, { method: 'POST', path: '/artifacts/acme/web', json });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: { 'external_urls.docs.fingerprint': expect.anything() } },
    });
  });
});
