import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { digestDocument } from '../../../src/service/log/entry.ts';
import type { NewEntry } from '../../../src/service/log/log-records.ts';
import { verifyLog } from '../../../src/service/log/verify-log-use-cases.ts';
import { DamagedAttachmentError } from '../../../src/service/platform/attachments/attachments.ts';
import { SqliteStorage } from '../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { itWithPermissions } from '../../support/platform.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { storageDependencies } from '../../support/storage-dependencies.ts';
import { runLog } from '../../support/verify-log.ts';

describe('the command verify', () => {
  let recorded: string;
  let dataFolder: string;
  let checkpoint: string;
  let verifierKey: string;

  /** Records what verdicts rest on, and keeps a checkpoint; the tests alter copies of it. */
  beforeAll(async () => {
    recorded = await mkdtemp(join(tmpdir(), 'compliance-log-'));
    const service = await startTestService({ dataFolder: join(recorded, 'data') });
    await record(service);
    const log = { at: `${service.url}/log/acme` };
    checkpoint = join(recorded, 'checkpoint');
    await writeFile(checkpoint, (await call(service, { ...log, path: '/checkpoint' })).text);
    verifierKey = (await call(service, { ...log, path: '/verifier-key' })).text.trim();
    await service.stop();
  });
  afterAll(() => rm(recorded, { recursive: true }));

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-log-'));
    await cp(join(recorded, 'data'), dataFolder, { recursive: true });
  });
  afterEach(() => rm(dataFolder, { recursive: true }));

  const record = async (service: TestService): Promise<void> => {
    await saveFlow(service);
    for (let index = 0; index < 12; index += 1) {
      const form = attestationForm(sampleAttestation(index === 3 ? 'ERROR' : 'OK'), { content: `file ${index}` });
      const path = `/attestations/acme/web/trail/t${index}/sonar`;
      expect((await call(service, { method: 'POST', path, form })).status).toBe(201);
    }
    await report(service);
    const members = ['prod', 'stage'].map((name) => ({ name, type: 'K8S', description: '' }));
    const all = { name: 'all', type: 'logical', description: '', included_environments: ['prod', 'stage'] };
    for (const json of [...members, all])
      expect((await call(service, { method: 'PUT', path: '/environments/acme', json })).status).toBe(201);
    await snapshot(service, 'abcdef');
  };

  const snapshot = async (service: TestService, digits: string): Promise<void> => {
    const json = {
      artifacts: [{ podName: 'web', namespace: 'x', digests: { web: fingerprintOf(digits) }, creationTimestamp: {} }],
    };
    await call(service, { method: 'PUT', path: '/environments/acme/prod/report/K8S', json });
  };

  const verify = (...words: readonly string[]): Promise<readonly string[]> =>
    runLog(['verify', '--data', dataFolder, ...words]);
  const verifyKept = async (): Promise<readonly string[]> => {
    const lines = await verify('--checkpoint', checkpoint, '--verifier-key', verifierKey);
    return lines.filter((line) => !/^acme: \d+ entries/u.test(line));
  };
  const edit = (...statements: readonly string[]): void => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    database.exec('PRAGMA foreign_keys = OFF');
    for (const statement of statements) database.exec(statement);
    database.close();
  };
  const idOf = (where: string): string => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    const row = database.prepare(`SELECT id FROM attestations WHERE ${where}`).get();
    database.close();
    return String(row?.['id']);
  };
  const problemsFound = (count: number): string =>
    `problems found: ${count}; keep the database as it is, and compare it with a backup`;

  it('finds nothing wrong in what was recorded', async () => {
    const lines = await verify('--checkpoint', checkpoint, '--verifier-key', verifierKey);
    expect(lines).toEqual([
      expect.stringMatching(/^acme: \d\d entries, 12 attachments, root .{44}$/u),
      'nothing is altered, missing or extra',
    ]);
  });

  it('finds nothing wrong after more was recorded and everything was renamed', async () => {
    const service = await startTestService({ dataFolder });
    for (const path of ['flows/acme/web', 'environments/acme/prod', 'flows/acme/once', 'environments/acme/once']) {
      const json = { new_name: path.endsWith('/once') ? 'twice' : 'once' };
      expect((await call(service, { method: 'PUT', path: `/${path}/rename`, json })).status).toBe(200);
    }
    await service.stop();
    expect(await verifyKept()).toEqual(['nothing is altered, missing or extra']);
  });

  describe('while the service is running', () => {
    let storage: SqliteStorage;
    beforeEach(() => {
      storage = new SqliteStorage(dataFolder, storageDependencies());
    });
    afterEach(() => storage.close());
    const problems: string[] = [];
    /** Verifies with something that happens when the first attachment is read. */
    const verifyDuring = (event: (digest: string) => Promise<unknown>): Promise<unknown> => {
      problems.length = 0;
      let isFirst = true;
      const verifyAttachment = async ({ digest }: { readonly digest: string }): Promise<void> => {
        if (isFirst) await event(digest);
        isFirst = false;
      };
      const report = (problem: string): unknown => problems.push(problem);
      return verifyLog({ storage, attachments: { verify: verifyAttachment }, report }, 'acme', []);
    };

    it('asks to be run again if something is renamed meanwhile', async () => {
      const renaming = { org: 'acme', kind: 'flow', from: 'web', to: 'shop' } as const;
      const verifying = verifyDuring(() => storage.transaction('acme', ({ renames }) => renames.rename(renaming)));
      await expect(verifying).rejects.toThrow('was renamed in the meantime; run the command again');
    });

    it('does not miss an attachment that is removed meanwhile', async () => {
      await verifyDuring(async (digest) => {
        const removal = { org: 'acme', digest, at: 1, by: 'admin', reason: 'A secret' };
        await storage.transaction('acme', ({ removedAttachments }) => removedAttachments.insert(removal));
        throw new DamagedAttachmentError('missing', { digest, size: 1 });
      });
      expect(problems).toEqual([]);
    });
  });

  it('names a verdict that was flipped', async () => {
    const id = idOf("verdict = 'non-compliant'");
    edit("UPDATE attestations SET verdict = 'compliant' WHERE verdict = 'non-compliant'");
    expect(await verifyKept()).toEqual([
      `acme: altered: attestation ${id} of flow web is not what was recorded`,
      problemsFound(1),
    ]);
  });

  it('names a verdict that was flipped with its entry', async () => {
    const sequence = `(SELECT max(sequence) FROM log_entries WHERE kind = 'attestation')`;
    edit(`UPDATE log_entries SET document_digest = 'ab' WHERE sequence = ${sequence}`);
    const lines = await verifyKept();
    expect(lines.filter((line) => line.includes('altered: entry'))).toHaveLength(1);
    expect(lines.join('\n')).toMatch(
      /entries are not those of the checkpoint .*checkpoint; the history was rewritten/u,
    );
  });

  it('names an attachment that was swapped', async () => {
    const content = join(dataFolder, 'attachments', 'content');
    const [group = ''] = await readdir(content);
    const [digest = ''] = await readdir(join(content, group));
    await writeFile(join(content, group, digest), 'FILE 0');
    expect(await verifyKept()).toEqual([
      expect.stringMatching(
        new RegExp(`^acme: altered: the attachment of attestation .* of flow web, with the SHA-256 ${digest}$`, 'u'),
      ),
      problemsFound(1),
    ]);
  });

  it('names records that were removed', async () => {
    const last = 'sequence > (SELECT max(sequence) - 10 FROM attestations)';
    edit(`DELETE FROM current_evidence`, 'DELETE FROM bindings', `DELETE FROM attestations WHERE ${last}`);
    const lines = await verifyKept();
    expect(
      lines.filter((line) => /^acme: missing: attestation \S+ of flow web, which entry \d+/u.test(line)),
    ).toHaveLength(10);
    expect(lines).toHaveLength(11);
  });

  it('names records that were removed with their entries', async () => {
    const last = 'sequence >= (SELECT max(sequence) - 9 FROM log_entries)';
    edit(`DELETE FROM log_entries WHERE ${last}`);
    const lines = await verifyKept();
    expect(lines).toContainEqual(
      expect.stringMatching(/^acme: missing: the last \d+ entries of the checkpoint .*, which has \d+$/u),
    );
  });

  it('names a record that was inserted', async () => {
    const copied = `trail, 'made-up', name, type, verdict, reason, created_at, reported_by, document, stepped_back`;
    edit(
      `INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason, created_at, reported_by,
        document, stepped_back) SELECT org, flow, 99, ${copied} FROM attestations WHERE sequence = 1`,
    );
    expect(await verifyKept()).toEqual([
      'acme: extra: attestation made-up of flow web is not in the log',
      problemsFound(1),
    ]);
  });

  it('names a history that was rewritten and signed again, given an earlier checkpoint', async () => {
    const other = await mkdtemp(join(tmpdir(), 'compliance-log-'));
    await cp(join(dataFolder, 'signing-key.pem'), join(other, 'signing-key.pem'));
    await rm(dataFolder, { recursive: true });
    // With the same key: another history, as complete.
    const service = await startTestService({ dataFolder: join(other, 'data') });
    await service.stop();
    await cp(join(other, 'signing-key.pem'), join(other, 'data', 'signing-key.pem'));
    const again = await startTestService({ dataFolder: join(other, 'data') });
    await record(again);
    expect((await call(again, { at: again.url, path: '/log/acme/checkpoint' })).status).toBe(200);
    await again.stop();
    await cp(join(other, 'data'), dataFolder, { recursive: true });
    await rm(other, { recursive: true });
    expect(await verify()).toContain('nothing is altered, missing or extra');
    const lines = await verifyKept();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^acme: altered: the first \d+ entries are not those of the checkpoint .*; the history was rewritten$/u,
    );
  });

  describe('with entries that name other records than they were made for', () => {
    const flipped = "verdict = 'non-compliant'";
    /** Adds an entry to the log, as the service does, and remembers it as signed. */
    const append = async (entry: Partial<NewEntry> & Pick<NewEntry, 'kind'>): Promise<void> => {
      const storage = new SqliteStorage(dataFolder, storageDependencies());
      const random = new Uint8Array(16);
      const documentDigest = digestDocument(random, entry.document ?? '{}');
      const added = { org: 'acme', at: 1, flow: '', environment: '', record: '', isLate: false, document: undefined };
      await storage.transaction('acme', ({ log }) =>
        log.append('acme', [{ ...added, random, documentDigest, ...entry }]),
      );
      await storage.close();
    };
    const removedRecord = (id: string): string =>
      `acme: missing: attestation ${id} of flow web, which entry \\d+ of the log recorded`;

    it('names an attestation that was removed, and whose entry got the name of another one', async () => {
      const [id, later] = [idOf(flipped), idOf('sequence = 12')];
      edit('DELETE FROM current_evidence', 'DELETE FROM bindings', `DELETE FROM attestations WHERE ${flipped}`);
      edit(`UPDATE log_entries SET record = '${later}' WHERE record = '${id}'`);
      expect(await verifyKept()).toEqual([
        expect.stringMatching(new RegExp(removedRecord(later), 'u')),
        problemsFound(1),
      ]);
    });

    it('names an attestation that was removed with an entry that says so', async () => {
      const id = idOf(flipped);
      edit('DELETE FROM current_evidence', 'DELETE FROM bindings', `DELETE FROM attestations WHERE ${flipped}`);
      await append({ kind: 'attestation removed', flow: 'web', record: id });
      const lines = await verifyKept();
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(removedRecord(id), 'u')));
      expect(lines).toHaveLength(3);
    });

    it('names a trail that was removed with an entry that says so, or whose entry got another name', async () => {
      edit('DELETE FROM current_evidence', 'DELETE FROM bindings', `DELETE FROM attestations WHERE trail = 't3'`);
      edit("DELETE FROM trails WHERE name = 't3'");
      edit("UPDATE log_entries SET record = 't4' WHERE kind = 'trail' AND record = 't3'");
      expect(await verifyKept()).toContainEqual(
        expect.stringMatching(
          /^acme: altered: entry \d+ of the log \(trail t4 of flow web\) is about another record$/u,
        ),
      );
      edit("UPDATE log_entries SET record = 't3' WHERE kind = 'trail' AND document LIKE '%\"t3\"%'");
      const document = '{"flow":"web","name":"t3"}';
      await append({ kind: 'trail removed', flow: 'web', record: 't3', document });
      expect(await verifyKept()).toContainEqual(
        expect.stringMatching(/^acme: missing: trail t3 of flow web, which entry \d+ of the log marks as removed/u),
      );
    });

    it.each(['{', 'null'])('names an entry with the document %s', async (document) => {
      await append({ kind: 'flow', flow: 'x', document });
      expect(await verifyKept()).toContainEqual(
        expect.stringMatching(/^acme: altered: entry \d+ of the log \(flow of flow x\) is about another record$/u),
      );
    });

    it('names a document of an entry that was removed', async () => {
      edit("UPDATE log_entries SET document = NULL WHERE kind = 'flow'");
      expect(await verifyKept()).toContainEqual(
        expect.stringMatching(/^acme: missing: the document of entry \d+ of the log \(flow of flow web\)$/u),
      );
    });

    it('names a record that was moved to another flow by a rename that was made up', async () => {
      const id = idOf(flipped);
      await append({ kind: 'rename', record: 'flow/web', document: '{"kind":"flow","former":"web","name":"x"}' });
      edit(
        'DELETE FROM current_evidence',
        'DELETE FROM bindings',
        `UPDATE attestations SET flow = 'x' WHERE ${flipped}`,
      );
      edit(`UPDATE log_entries SET flow = 'x' WHERE record = '${id}'`);
      expect(await verifyKept()).toContainEqual('acme: altered: flow of flow web is not what was recorded');
    });
  });

  it('does not change the tables of an earlier version', async () => {
    const database = join(dataFolder, 'compliance.sqlite');
    edit('PRAGMA user_version = 35');
    const before = await readFile(database);
    expect(await verify()).toEqual([
      expect.stringMatching(/has version 35, and this command version \d+; run the command of the version that uses/u),
    ]);
    expect(await readFile(database)).toEqual(before);
  });

  itWithPermissions('names an attachment that it may not read', async () => {
    const content = join(dataFolder, 'attachments', 'content');
    const [group = ''] = await readdir(content);
    const [digest = ''] = await readdir(join(content, group));
    await chmod(join(content, group, digest), 0);
    expect((await verify()).at(-1)).toMatch(
      new RegExp(`^the service may not use .*/${digest}; give it to the user`, 'u'),
    );
  });

  it('refuses a checkpoint that no given key has signed', async () => {
    const forged = join(dataFolder, 'forged');
    await writeFile(forged, (await readFile(checkpoint, 'utf8')).replace(/\n(\d+)\n/u, '\n1$1\n'));
    expect(await verify('--checkpoint', forged, '--verifier-key', verifierKey)).toEqual([
      `${forged} is not signed by any of the keys in --verifier-key`,
    ]);
  });
});
