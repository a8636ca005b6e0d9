import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseCheckpoint } from '../../../src/runtime/transparency-log/checkpoint.ts';
import { hashLeaf, TreeBuilder } from '../../../src/runtime/transparency-log/tree.ts';
import { isSignedBy, parseVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { createKey } from '../../support/administration.ts';
import { savePolicy } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';

/** The clock of the service, in milliseconds. */
const now = Date.UTC(2027, 0, 1);

describe('the transparency log of an organization', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService({ options: { signingKeys: sampleSigningKeys }, sources: { now: () => now } });
  });
  afterEach(() => service.stop());

  const get = (path: string, key?: string | null): Promise<Called> =>
    call(service, { at: service.url, path: `/log/acme/${path}`, ...(key === undefined ? {} : { key }) });
  const getBytes = async (path: string): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    return Buffer.from(await (await fetch(`${service.url}/log/acme/${path}`, { headers })).arrayBuffer());
  };
  const readSize = async (): Promise<number> => Number((await get('checkpoint')).text.split('\n')[1]);
  const readEntries = async (size: number): Promise<readonly Buffer[]> => {
    let rest = await getBytes(`tile/entries/000.p/${size}`);
    const entries: Buffer[] = [];
    while (rest.length > 0) {
      const end = 2 + rest.readUInt16BE();
      entries.push(rest.subarray(2, end));
      rest = rest.subarray(end);
    }
    return entries;
  };

  it('has an entry of each record, which a signed checkpoint includes', async () => {
    await saveFlow(service);
    await attest(service, sampleAttestation('OK'));
    await report(service);
    const checkpoint = parseCheckpoint((await get('checkpoint')).text);
    const origin = `${service.url.replace('http://', '')}/log/acme`;
    expect(checkpoint).toMatchObject({ origin });
    const keys = (await get('verifier-key')).text.trimEnd().split('\n').map(parseVerifierKey);
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(checkpoint !== undefined && key !== undefined && isSignedBy(checkpoint, key)).toBe(true);
    }
    const entries = await readEntries(checkpoint?.size ?? 0);
    const times = entries.map((entry) => valueAt(JSON.parse(entry.toString()), 'time'));
    expect(new Set(times)).toEqual(new Set([now / 1000]));
    const kinds = entries.map((entry) => textAt(JSON.parse(entry.toString()), 'kind'));
    expect(kinds).toEqual(
      expect.arrayContaining(['member', 'flow', 'trail', 'attestation', 'artifact', 'audit event']),
    );
    const tree = new TreeBuilder();
    for (const entry of entries) tree.add(hashLeaf(entry));
    expect(Buffer.from(tree.root).equals(checkpoint?.root ?? Buffer.alloc(0))).toBe(true);
    const tile = await getBytes(`tile/0/000.p/${entries.length}`);
    expect(tile.equals(Buffer.concat(entries.map(hashLeaf)))).toBe(true);
  });

  it('proves what was recorded', async () => {
    await saveFlow(service);
    await attest(service, sampleAttestation('OK'));
    await report(service);
    const [{ id } = { id: '' }] = (await service.storage.query('SELECT id FROM attestations')) as { id: string }[];
    for (const query of [`attestation_id=${id}`, `fingerprint=${fingerprintOf('abcdef')}`, 'index=0']) {
      const proof = await get(`proof?${query}`);
      expect(proof.status).toBe(200);
      const [head = '', checkpoint = ''] = proof.text.split(/\n\n([^]*)/u);
      const [format, index, ...path] = head.split('\n');
      expect(format).toBe('c2sp.org/tlog-proof@v1');
      expect(checkpoint).toBe((await get('checkpoint')).text);
      const { size, root } = parseCheckpoint(checkpoint) ?? { size: 0, root: Buffer.alloc(0) };
      const entry = (await readEntries(size))[Number(index?.replace('index ', ''))] ?? Buffer.alloc(0);
      expect(followProof(hashLeaf(entry), Number(index?.replace('index ', '')), size, path)).toBe(
        Buffer.from(root).toString('base64'),
      );
    }
  });

  it('proves the latest entry of the record that is asked for', async () => {
    await saveFlow(service);
    const [one, other] = [fingerprintOf('abcdef'), fingerprintOf('abcdee')];
    for (const fingerprint of [one, one, other]) await report(service, { fingerprint });
    for (const policy of ['strict', 'strict', 'other']) await savePolicy(service, policy);
    const kinds = (await readEntries(await readSize())).map((entry) => textAt(JSON.parse(entry.toString()), 'kind'));
    const entriesOf = (wanted: string): readonly number[] =>
      kinds.flatMap((kind, index) => (kind === wanted ? [index] : []));
    const prove = async (query: string): Promise<number> =>
      Number(/^index (\d+)$/mu.exec((await get(`proof?${query}`)).text)?.[1]);
    expect([await prove(`fingerprint=${one}`), await prove(`fingerprint=${other}`)]).toEqual(
      entriesOf('artifact').slice(1),
    );
    for (const [index, version] of ['strict&version=1', 'strict&version=2', 'other&version=1'].entries()) {
      expect([version, await prove(`policy=${version}`)]).toEqual([version, entriesOf('policy version')[index]]);
    }
  });

  it('names neither persons nor records, so that any key of the organization can read it', async () => {
    await saveFlow(service);
    const size = await readSize();
    const entries = (await readEntries(size)).map((entry) => JSON.parse(entry.toString()) as object);
    expect(new Set(entries.flatMap(Object.keys))).toEqual(new Set(['sequence', 'time', 'kind', 'document']));
    const reader = await createKey(service, { owner: 'rita', role: 'reader' });
    expect((await get('checkpoint', reader)).status).toBe(200);
    const other = await service.createOrganization('other');
    for (const path of ['checkpoint', 'tile/0/000.p/1', 'verifier-key', 'proof?index=0']) {
      expect([path, (await get(path, other)).status]).toEqual([path, 403]);
      expect([path, (await get(path, null)).status]).toEqual([path, 401]);
    }
  });

  it('lets clients cache tiles forever and checkpoints for a moment, and no shared cache', async () => {
    const caching = async (path: string): Promise<unknown> => (await get(path)).headers.get('cache-control');
    expect(await caching('checkpoint')).toBe('private, max-age=2');
    expect(await caching('tile/0/000.p/1')).toBe('private, max-age=31536000, immutable');
    expect(await caching('tile/0/999')).toBe('no-store');
  });

  it.each(['tile/0/001', 'tile/entries/000.p/999', 'tile/x', 'proof?attestation_id=none', 'proof?index=999999'])(
    'has nothing at %s',
    async (path) => {
      expect(await get(path)).toMatchObject({
        status: 404,
        body: { message: 'The log of organization acme has no such entry or tile' },
      });
    },
  );

  it.each(['proof', 'proof?index=-1', 'proof?index=1&attestation_id=a', 'proof?policy=a', 'proof?other=1'])(
    'refuses %s',
    async (path) => {
      expect((await get(path)).status).toBe(400);
    },
  );

  it('signs no checkpoint that is inconsistent with an earlier one', async () => {
    expect((await get('checkpoint')).status).toBe(200);
    await service.storage.query('UPDATE log_heads SET size = size + 1');
    expect((await get('checkpoint')).status).toBe(500);
    await service.storage.query('UPDATE log_heads SET size = size - 2');
    expect((await get('proof?index=0')).status).toBe(500);
    expect(service.errors.join()).toContain('the transparency log of acme does not continue the checkpoint with');
    expect(mappingOf(await get('checkpoint'))['message']).toMatch(/^Internal error/u);
  });

  it('has tiles of 256 entries', async () => {
    await saveFlow(service);
    for (let added = 0; (await readSize()) < 300; added += 1) {
      const trail = (index: number): Promise<Called> => attest(service, sampleAttestation('OK'), `t${added}-${index}`);
      await Promise.all(Array.from({ length: 20 }, (_, index) => trail(index)));
    }
    const full = await getBytes('tile/0/000');
    expect(full).toHaveLength(256 * 32);
    let hashes = Array.from({ length: 256 }, (_, index) => full.subarray(index * 32, (index + 1) * 32));
    while (hashes.length > 1) hashes = pair(hashes);
    expect((await getBytes('tile/1/000.p/1')).equals(hashes[0] ?? Buffer.alloc(0))).toBe(true);
    expect((await get(`proof?index=255`)).status).toBe(200);
    // The tile of a smaller log stays the same.
    await service.storage.query('INSERT INTO log_hashes SELECT org, level, number + 1, hash FROM log_hashes');
    expect(await getBytes('tile/1/000.p/1')).toHaveLength(32);
  });
});

const node = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest();

function pair(hashes: readonly Buffer[]): Buffer[] {
  return hashes.flatMap((left, index) => (index % 2 === 0 ? [node(left, hashes[index + 1] ?? left)] : []));
}

/** The root that a proof leads to (RFC 9162, 2.1.3.2), in base64. */
function followProof(leaf: Uint8Array, index: number, size: number, path: readonly string[]): string {
  let [place, last, root] = [index, size - 1, leaf];
  for (const sibling of path.map((hash) => Buffer.from(hash, 'base64'))) {
    if (place % 2 === 1 || place === last) {
      root = node(sibling, root);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else root = node(root, sibling);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return Buffer.from(root).toString('base64');
}
