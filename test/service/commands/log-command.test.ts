import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { renderVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { parseServiceOptions } from '../../../src/service/commands/service-options.ts';
import { loadSigningKeys } from '../../../src/service/commands/signing-key-file.ts';
import { emptyDatabase } from '../../../tools/empty-database.ts';
import { itWithPosixFiles } from '../../support/platform.ts';
import { runLog } from '../../support/verify-log.ts';

const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
const origin = 'compliance.example.com/log/acme';

describe('the signing keys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-keys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = (...words: readonly string[]): Promise<readonly string[]> => runLog([...words, '--data', folder]);
  const listKeys = async (): Promise<readonly string[]> => {
    const lines = await run('verifier-key', '--org', 'acme', '--public-url', 'https://compliance.example.com');
    return lines.filter((line) => line.startsWith('compliance'));
  };
  const load = async (): Promise<readonly string[]> =>
    (await loadSigningKeys(folder)).map((key) => renderVerifierKey(origin, key));

  itWithPosixFiles('are created once, and only the user of the service can read them', async () => {
    const created = await load();
    expect(created).toHaveLength(1);
    expect(await load()).toEqual(created);
    expect((await stat(join(folder, 'signing-key.pem'))).mode & 0o777).toBe(0o600);
  });

  it('are replaced after a while in which both sign', async () => {
    const [first = ''] = await load();
    expect(await run('rotate-signing-key')).toEqual([
      expect.stringMatching(/signing-key\.pem: 2 keys will sign, a new one first; restart the service, /u),
    ]);
    const [second = '', ...others] = await listKeys();
    expect(others).toEqual([first]);
    expect(await load()).toEqual([second, first]);
    await run('rotate-signing-key', '--end');
    expect(await listKeys()).toEqual([second]);
  });

  it('are printed as PEM, too', async () => {
    await load();
    const lines = await run('verifier-key', '--org', 'acme', '--public-url', 'https://compliance.example.com');
    expect(lines[1]).toMatch(/^-----BEGIN PUBLIC KEY-----\n[^-]+\n-----END PUBLIC KEY-----$/u);
  });

  it('can be in a file of the operator', async () => {
    const file = join(folder, 'own.pem');
    await writeFile(file, pem);
    const environment = { COMPLIANCE_SERVICE_SIGNING_KEY_FILE: file };
    expect(parseServiceOptions([], environment)).toMatchObject({ signingKeys: [{ asymmetricKeyType: 'ed25519' }] });
    await runLog(['rotate-signing-key'], environment);
    expect((await readFile(file, 'utf8')).match(/BEGIN PRIVATE KEY/gu)).toHaveLength(2);
  });

  it('are printed if they are in a variable', async () => {
    const words = ['verifier-key', '--org', 'acme', '--public-url', 'https://compliance.example.com'];
    const environment = { COMPLIANCE_SERVICE_SIGNING_KEY: pem.replaceAll('\n', String.raw`\n`) };
    expect((await runLog(words, environment))[0]).toMatch(/^compliance\.example\.com\/log\/acme\+/u);
  });

  it('are missing until the service has started', async () => {
    expect(await run('rotate-signing-key')).toEqual([
      expect.stringMatching(/signing-key\.pem does not exist; check --data or COMPLIANCE_SERVICE_SIGNING_KEY_FILE; /u),
    ]);
  });

  it('are not replaced if they cannot be read', async () => {
    await mkdir(join(folder, 'signing-key.pem'));
    expect(await run('rotate-signing-key')).toEqual([
      `${join(folder, 'signing-key.pem')} is a folder and must be a file; check the path`,
    ]);
    const environment = { COMPLIANCE_SERVICE_SIGNING_KEY_FILE: folder };
    expect(() => parseServiceOptions([], environment)).toThrow(
      `the file in COMPLIANCE_SERVICE_SIGNING_KEY_FILE cannot be read: ${folder} is a folder and must be a file`,
    );
  });

  it('are not replaced if the file is damaged', async () => {
    await writeFile(join(folder, 'signing-key.pem'), 'damaged');
    await expect(loadSigningKeys(folder)).rejects.toThrow(
      'signing-key.pem must have Ed25519 private keys in the form PEM; put a copy of it back',
    );
  });

  it.each([
    [
      ['rotate-signing-key'],
      { COMPLIANCE_SERVICE_SIGNING_KEY: pem },
      'COMPLIANCE_SERVICE_SIGNING_KEY holds the key itself',
    ],
    [['verifier-key', '--org', 'acme'], {}, 'verifier-key requires --org and --public-url'],
    [['verify'], {}, 'verify requires a folder, --data, --database or --checkpoint'],
    [['verify', '--data', 'none', '--verifier-key', 'x'], {}, '--verifier-key x must be a line of the output of'],
    [['verify', '--data', 'none', '--database', 'postgres://db/x'], {}, 'verify takes either --data, or --database'],
    [['verify', '--data', 'none', '--attachments', 's3://bucket'], {}, 'verify takes either --data, or --database'],
    [['verify', '--data', 'none'], {}, 'there is no database in none'],
    [['verify'], { COMPLIANCE_SERVICE_DATA: 'none' }, 'there is no database in none'],
    [['verify', '--data', 'none', '--checkpoint', 'missing'], {}, 'missing does not exist; check the path'],
    [['verify', '--data', 'none', '--checkpoint', tmpdir()], {}, `${tmpdir()} is a folder and must be a file`],
    [['verify', '-h'], {}, 'Usage: npm run service -- verify'],
  ])('are not used by %j', async (words, environment, message) => {
    expect((await runLog(words, environment as Record<string, string>)).join('\n')).toContain(message);
  });

  it('are not used to verify a database without organizations', async () => {
    await writeFile(join(folder, 'compliance.sqlite'), emptyDatabase);
    expect(await run('verify')).toEqual([
      'there is nothing to verify: the database has no organization; name the database of the service with --data or --database',
    ]);
  });

  it('are not used to verify an empty file, which stays as it is, with its write-ahead log', async () => {
    const path = join(folder, 'compliance.sqlite');
    await writeFile(path, '');
    expect(await run('verify')).toEqual([expect.stringMatching(/^there is no database in /u)]);
    expect((await stat(path)).size).toBe(0);
    await writeFile(`${path}-wal`, 'the latest writes');
    expect(await run('verify')).toEqual([expect.stringMatching(/-wal holds writes; put the database back/u)]);
    expect(await readFile(`${path}-wal`, 'utf8')).toBe('the latest writes');
  });

  it('are not used to verify a database whose write-ahead log was lost, which the next start still notices', async () => {
    await writeFile(join(folder, 'compliance.sqlite'), emptyDatabase);
    await writeFile(join(folder, 'running'), '');
    const lost = [expect.stringMatching(/^the latest records in .* may be lost: /u)];
    expect([await run('verify'), await run('verify')]).toEqual([lost, lost]);
  });

  it('are refused if they are of another kind, without showing them', () => {
    const key = pem.replace(/[A-Za-z0-9+/]{20}/u, 'A'.repeat(20));
    expect(() => parseServiceOptions([], { COMPLIANCE_SERVICE_SIGNING_KEY: key })).toThrow(
      /^COMPLIANCE_SERVICE_SIGNING_KEY, or its file, must be an Ed25519 private key in the form PEM, such as from: openssl/u,
    );
  });
});
