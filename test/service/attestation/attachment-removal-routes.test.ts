import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { createKey } from '../../support/administration.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, sampleFlow } from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';
import { runLog } from '../../support/verify-log.ts';

const content = 'a secret';
const digest = createHash('sha256').update(content).digest('hex');
const now = Date.UTC(2027, 0, 2, 3);
const removed = { at: now / 1000, by: 'admin', reason: 'It has a <secret>' };

describe('an attachment that is removed', () => {
  let storage: TestStorage;
  let service: TestService;
  let keys: Readonly<Record<string, string>>;
  const start = async (): Promise<void> => {
    service = await startTestService({ storage, sources: { now: () => now } });
  };
  beforeEach(async () => {
    storage = await createTestStorage();
    await start();
    keys = { acme: service.apiKey, other: await service.createOrganization('other') };
    for (const org of ['acme', 'other']) {
      await call(service, { method: 'PUT', path: `/flows/${org}`, json: sampleFlow(), key: keyOf(org) });
    }
  });
  afterEach(async () => {
    await stopWithoutErrors(service);
    await storage.remove();
  });

  const keyOf = (org: string): string => keys[org] ?? '';
  /** Records evidence with the file, and returns its id. */
  const attest = async (org = 'acme', file = content): Promise<string> => {
    const sent = await call(service, {
      ...{ method: 'POST', path: `/attestations/${org}/web/trail/main/generic`, key: keyOf(org) },
      form: attestationForm({ attestation_name: 'scan' }, { content: file }),
    });
    expect(sent.status).toBe(201);
    const { body } = await call(service, { path: `/attestations/${org}/web?per_page=1`, key: keyOf(org) });
    return textAt(listAt(body, 'data')[0], 'attestation_id') ?? '';
  };
  const remove = (id: string, change: { reason?: string; org?: string; key?: string } = {}): Promise<Called> => {
    const { reason = removed.reason, org = 'acme', key = keyOf(org) } = change;
    return call(service, { method: 'DELETE', path: `/attestations/${org}/${id}/attachment`, json: { reason }, key });
  };
  const find = async (id: string, org = 'acme'): Promise<unknown> => {
    const { body } = await call(service, { path: `/attestations/${org}?attestation_id=${id}`, key: keyOf(org) });
    return listAt(body, 'data')[0];
  };
  const download = async (id: string, org = 'acme'): Promise<Called> => {
    const url = textAt(listAt(await find(id, org), 'attachments')[0], 'url') ?? '';
    return call(service, { at: url, path: '', key: keyOf(org) });
  };
  const isStored = async (): Promise<boolean> => (await storage.listAttachments()).includes(digest);

  it('is gone, and its digest, who removed it, when and why stay, and so does the verdict', async () => {
    const [id, untouched] = [await attest(), await attest('acme', 'another file')];
    const before = await find(id);
    expect((await remove(id)).status).toBe(200);
    const after = await find(id);
    expect(after).toMatchObject({
      attachments: [{ filename: 'report.xml', size: content.length, sha256: digest, removed }],
    });
    expect({ ...Object(after), attachments: [] }).toEqual({ ...Object(before), attachments: [] });
    expect(await download(id)).toMatchObject({
      status: 410,
      body: { message: 'The file was removed by admin at 2027-01-02T03:00:00.000Z: It has a <secret>' },
    });
    const page = await call(service, { at: String(valueAt(after, 'html_url')), path: '' });
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringMatching(/Removed[^]*by admin: It has a &lt;secret&gt;/u),
    ]);
    expect([await isStored(), (await download(untouched)).text]).toEqual([false, 'another file']);
    const { body } = await call(service, { path: '/organizations/acme/audit-log?per_page=1' });
    expect(listAt(body, 'data')).toMatchObject([
      { type: 'attachment_removed', actor: 'admin', details: { id, sha256: digest, reason: removed.reason } },
    ]);
  });

  it('stays as it was removed first, also if the same file is sent again', async () => {
    const id = await attest();
    await remove(id);
    expect((await remove(id, { reason: 'Another reason' })).status).toBe(200);
    const again = await attest();
    for (const each of [id, again]) expect(await find(each)).toMatchObject({ attachments: [{ removed }] });
    expect([(await download(again)).status, await isStored()]).toEqual([410, false]);
  });

  it('can be removed by admins only, with a reason', async () => {
    const id = await attest();
    expect((await remove(id, { key: await createKey(service, { role: 'member' }) })).status).toBe(403);
    expect((await remove(id, { reason: '' })).status).toBe(400);
    expect((await remove(id, { org: 'other' })).status).toBe(404);
    expect((await remove('00000000-0000-0000-0000-00000000')).status).toBe(404);
    expect((await download(id)).text).toBe(content);
  });

  it('stays with other organizations that have the same file, until they remove it, too', async () => {
    const [mine, theirs] = [await attest(), await attest('other')];
    await remove(mine);
    expect((await download(mine)).status).toBe(410);
    expect((await download(theirs, 'other')).text).toBe(content);
    await remove(theirs, { org: 'other' });
    expect(await isStored()).toBe(false);
    const later = await attest('other', 'another file');
    expect((await download(later, 'other')).text).toBe('another file');
  });

  it('is not lost for an organization that sends the same file at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const file = `content ${round}`;
      const mine = await attest('acme', file);
      const [theirs] = await Promise.all([attest('other', file), remove(mine)]);
      expect((await download(theirs, 'other')).text).toBe(file);
    }
  });

  it.each(['the next start', 'the next request'])('is deleted by %s if the process was killed before', async (next) => {
    const [id] = [await attest(), await attest('other')];
    await remove(id);
    // As if the other organization had never had it.
    await storage.query("UPDATE attestations SET attachment_digest = NULL WHERE org = 'other'");
    await storage.query('UPDATE removed_attachments SET is_finished = 0');
    expect(await isStored()).toBe(true);
    if (next === 'the next start') {
      await service.stop();
      await start();
      expect((await call(service, { at: service.url, path: '/ready' })).text).toBe('OK');
    } else await remove(id);
    expect(await isStored()).toBe(false);
    const finished = await storage.query('SELECT is_finished FROM removed_attachments');
    expect(finished.map((row) => Number(row['is_finished']))).toEqual([1]);
  });

  it('is counted by verify, and not called missing', async () => {
    await attest('acme', 'another file');
    await remove(await attest());
    await service.stop();
    const { dataFolder, database } = storage.options;
    const verify = (): Promise<readonly string[]> =>
      runLog(database === undefined ? ['verify', '--data', dataFolder] : ['verify', '--database', database.url]);
    const lines = await verify();
    expect(lines).toContainEqual(expect.stringMatching(/^acme: \d+ entries, 1 attachments and 1 removed ones, root/u));
    expect(lines.at(-1)).toBe('nothing is altered, missing or extra');
    await storage.query("UPDATE removed_attachments SET reason = 'Another one'");
    expect(await verify()).toContainEqual(expect.stringContaining('altered: attachment removal'));
    await storage.query('UPDATE removed_attachments SET reason = $1', [removed.reason]);
    await storage.query('DELETE FROM removed_attachments');
    expect(await verify()).toContainEqual(expect.stringContaining('missing: the attachment of attestation'));
  });
});
