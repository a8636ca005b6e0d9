import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { version } from '../../../src/runtime/version.ts';
import { parseServiceOptions, usage } from '../../../src/service/commands/service-options.ts';
import { startServiceProcess } from '../../support/service-process.ts';

const adminKey = '5f0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d';
const key = `first_${'k'.repeat(32)}`;

describe('the settings of the service', () => {
  it('have safe defaults', () => {
    expect(parseServiceOptions([], {})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataFolder: 'service-data',
      publicUrl: undefined,
      trustedProxies: [],
      adminKey: undefined,
      first: undefined,
      mail: undefined,
      allowPrivateIssuers: false,
      allowPrivateTargets: false,
      trashUnnamedAttachments: false,
      acceptLoss: false,
    });
  });

  it('limit every organization, or some of them', () => {
    const words = ['--quota-records=100000', '--quota-records', 'acme=500000,globex=0'];
    const variables = { COMPLIANCE_SERVICE_QUOTA_ATTACHMENT_BYTES: 'acme=1', COMPLIANCE_SERVICE_QUOTA_RECORDS: '1' };
    const perOrganization = { '': 100_000, acme: 500_000, globex: 0 };
    expect(parseServiceOptions(words, variables)).toMatchObject({
      quotas: {
        records: new Map(Object.entries(perOrganization)),
        'attachment-bytes': new Map([['acme', 1]]),
      },
    });
  });

  it.each(['x', '-1', '1.5', '=1', 'acme=', 'a b=1', 'a=b=1', '1,,2', '1e3'])('refuse the quota %j', (quota) => {
    expect(() => parseServiceOptions([`--quota-keys=${quota}`], {})).toThrow(
      /--quota-keys .* must be a number for each organization, such as 100000, or for one, such as acme=500000/u,
    );
  });

  it('come from flags', () => {
    const words = [
      '--port=0',
      '--host',
      '0.0.0.0',
      '--data',
      'here',
      '--org',
      'acme',
      '--key',
      key,
      '--admin-key',
      adminKey,
      '--smtp-url',
      'smtps://mail.example.com',
      '--smtp-from',
      'compliance@example.com',
      '--allow-private-targets',
      '--trash-unnamed-attachments',
      '--accept-loss',
      '--trusted-proxy=10.0.0.0/8',
      '--trusted-proxy',
      '2001:db8::1, 192.0.2.1',
    ];
    expect(parseServiceOptions([...words, '--public-url', 'https://c.example.com/x/'], {})).toEqual({
      host: '0.0.0.0',
      port: 0,
      dataFolder: 'here',
      publicUrl: 'https://c.example.com/x',
      trustedProxies: ['10.0.0.0/8', '2001:db8::1', '192.0.2.1'],
      adminKey,
      first: { org: 'acme', key: { id: 'first', secret: 'k'.repeat(32) } },
      mail: { url: 'smtps://mail.example.com', from: 'compliance@example.com' },
      allowPrivateIssuers: false,
      allowPrivateTargets: true,
      trashUnnamedAttachments: true,
      acceptLoss: true,
    });
  });

  it('come from the environment if there is no flag', () => {
    const environment = {
      COMPLIANCE_SERVICE_PORT: '9000',
      COMPLIANCE_SERVICE_ADMIN_KEY: adminKey,
      COMPLIANCE_SERVICE_PUBLIC_URL: 'http://c',
      COMPLIANCE_SERVICE_ORG: '',
      COMPLIANCE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true',
    };
    expect(parseServiceOptions(['--port', '9001'], environment)).toMatchObject({
      port: 9001,
      adminKey,
      publicUrl: 'http://c',
      first: undefined,
      allowPrivateIssuers: false,
      allowPrivateTargets: true,
    });
  });

  it('accept only true or false for a flag in the environment', () => {
    const read = (value: string): unknown =>
      parseServiceOptions([], { COMPLIANCE_SERVICE_ALLOW_PRIVATE_TARGETS: value });
    expect(read('false')).toMatchObject({ allowPrivateTargets: false });
    expect(() => read('yes')).toThrow('COMPLIANCE_SERVICE_ALLOW_PRIVATE_TARGETS must be true or false');
  });

  it.each([
    [['--port', 'x'], '--port x is not a valid port'],
    [['--port', '65536'], '--port 65536 is not a valid port'],
    [['--port=-1'], '--port -1 is not a valid port'],
    ...['proxy', '10.0.0.0/33', '10.0.0.1/8/1', '::1/x', '0.0.0.0/0', '10.0.0.0/08'].map(
      (proxy) => [['--trusted-proxy', proxy], `--trusted-proxy ${proxy} must be an IP address`] as const,
    ),
    [['--org', 'a b'], '--org a b is not a valid name'],
    [['--key', key], '--key requires --org'],
    [['--org', 'acme', '--key', 'short'], '--key or COMPLIANCE_SERVICE_KEY does not have the form of an API key'],
    [['--public-url', 'compliance'], '--public-url compliance must be an http(s) URL'],
    [['--public-url', 'ftp://c'], '--public-url ftp://c must be an http(s) URL'],
    [['--public-url', 'https://c?x=1'], 'must be an http(s) URL'],
    [['--public-url', 'https://user@c'], 'must be an http(s) URL'],
    [['--public-url', 'https://:secret@c'], 'must be an http(s) URL'],
    [['--public-url', 'https://c?'], 'must be an http(s) URL'],
    [['--public-url', 'https://c '], 'must be an http(s) URL'],
    [['--public-url', 'https:c'], 'must be an http(s) URL'],
    [
      ['--public-url', 'https://c/api/v2'],
      '--public-url https://c/api/v2 must not end in /api/v2, which the service adds; use https://c',
    ],
    [['--public-url', 'https://c/x/api/v2//'], 'use https://c/x'],
    [['--smtp-url', 'smtp://mail'], '--smtp-url and --smtp-from must be set together'],
    [['--smtp-from', 'a@b'], '--smtp-url and --smtp-from must be set together'],
    [['--smtp-url', 'https://mail', '--smtp-from', 'a@b'], '--smtp-url must be an smtp(s) URL'],
    [['--smtp-url', 'smtp://', '--smtp-from', 'a@b'], '--smtp-url must be an smtp(s) URL'],
    [['--smtp-url', 'smtp://mail', '--smtp-from', 'Ann'], '--smtp-from must be an e-mail address'],
    [['--colour', 'red'], "Unknown option '--colour'"],
    [['extra'], "Unexpected argument 'extra'"],
  ])('are rejected in %j, with the remedy', (words, message) => {
    expect(() => parseServiceOptions(words, {})).toThrow(message);
  });

  describe('of the GitHub App', () => {
    const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
    const privateKey = pem.toString();
    const secrets = {
      COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY: privateKey,
      COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET: adminKey,
    };
    const app = ['--github-app-id', '17'];

    it('come from flags, variables and files', () => {
      const words = [...app, '--github-installation=acme=1', '--github-installation', 'acme=2,other=3'];
      const installations = new Map([
        [1, 'acme'],
        [2, 'acme'],
        [3, 'other'],
      ]);
      const expected = { appId: 17, privateKey, webhookSecret: adminKey, installations };
      expect(parseServiceOptions(words, secrets)).toMatchObject({
        github: { ...expected, apiUrl: 'https://api.github.com' },
      });
      const folder = mkdtempSync(join(tmpdir(), 'compliance-github-'));
      const file = (name: string, text: string): string => {
        writeFileSync(join(folder, name), `${text}\n`);
        return join(folder, name);
      };
      const environment = {
        COMPLIANCE_SERVICE_GITHUB_APP_ID: '17',
        COMPLIANCE_SERVICE_GITHUB_API_URL: 'https://github.example.com/api/v3/',
        COMPLIANCE_SERVICE_GITHUB_INSTALLATION: 'acme=1,acme=2,other=3',
        COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY_FILE: file('key', privateKey.replaceAll('\n', '\\n')),
        COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET_FILE: file('secret', adminKey),
      };
      expect(parseServiceOptions([], environment)).toMatchObject({
        github: { ...expected, apiUrl: 'https://github.example.com/api/v3' },
      });
      rmSync(folder, { recursive: true });
    });

    it.each([
      [['--github-installation=acme=1'], {}, 'require --github-app-id'],
      [[], { COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY: '' }, undefined],
      [['--github-app-id=x'], secrets, '--github-app-id x must be the number of the app'],
      [app, {}, 'requires COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY, or COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY_FILE'],
      [
        app,
        { ...secrets, COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET: '' },
        'COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET_FILE',
      ],
      [app, { ...secrets, COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET: 'short' }, 'has 5 characters and needs 32 or more'],
      [
        app,
        { ...secrets, COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY: 'secret' },
        'COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY, or its file, must be the private key of the app',
      ],
      [app, { ...secrets, COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY_FILE: 'x' }, 'must not be set together'],
      [
        app,
        { ...secrets, COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY: '', COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY_FILE: '/none' },
        'the file in COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY_FILE cannot be read',
      ],
      [
        [...app, '--github-installation=acme'],
        secrets,
        '--github-installation acme must be an organization and a number',
      ],
      [[...app, '--github-api-url=http://github.example.com'], secrets, 'is not encrypted; use https'],
      [
        [...app, '--github-api-url=https://x@github.example.com'],
        secrets,
        'must be an http(s) URL without credentials',
      ],
      [[...app, '--github-api-url=http://127.0.0.1:1'], secrets, undefined],
    ])('are checked: %j', (words, environment, message) => {
      const parse = (): unknown => parseServiceOptions(words, environment);
      if (message === undefined) expect(parse).not.toThrow();
      else expect(parse).toThrow(message);
    });
  });

  it('keep attachments elsewhere only with a database that a backup of the data folder does not contain', () => {
    const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const read = (): unknown => parseServiceOptions(['--attachments', 's3://bucket?region=eu-west-1'], environment);
    expect(read).toThrow('--attachments requires --database postgres://');
    expect(() => parseServiceOptions([], { COMPLIANCE_SERVICE_ATTACHMENTS: 'x' })).toThrow('must be an S3 URL');
  });

  it.each([
    ['short', 'has 5 characters and needs 32 or more'],
    ['a'.repeat(64), 'has 1 different characters and needs 8 or more'],
    [`${adminKey} `, 'must have only printable ASCII characters, without spaces'],
    [`${adminKey}é`, 'must have only printable ASCII characters, without spaces'],
  ])('reject the weak administration key %j, with a way to generate a strong one, and never show it', (weak, words) => {
    for (const read of [
      (): unknown => parseServiceOptions(['--admin-key', weak], {}),
      (): unknown => parseServiceOptions([], { COMPLIANCE_SERVICE_ADMIN_KEY: weak }),
    ]) {
      expect(read).toThrow(words);
      expect(read).toThrow('openssl rand -hex 32');
      expect(read).not.toThrow(`: ${weak}`);
    }
  });

  it('accept an administration key from openssl', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const key = createHash('sha256').update(bytes).digest('hex');
        expect(parseServiceOptions(['--admin-key', key], {})).toMatchObject({ adminKey: key });
      }),
    );
  });

  it('show the version', async () => {
    await expect(startServiceProcess(['--version'])).rejects.toThrow(`${version} (Node.js v24.`);
  });

  it('have a help text', () => {
    expect(parseServiceOptions(['--help'], {})).toBe('help');
    expect(parseServiceOptions(['--version'], {})).toBe('version');
    expect(usage).toContain('--admin-key KEY');
    expect(usage).toContain('COMPLIANCE_SERVICE_ADMIN_KEY');
  });
});
