import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { violations } from '../../contract/check.ts';
import { orgName } from '../../contract/names.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { errorMessage } from '../../runtime/failure.ts';
import { findWeakness } from '../account/administration-key.ts';
import { type ApiKey, apiKeyForm, parseApiKey } from '../account/api-key.ts';
import { type QuotaName, quotaNames, type Quotas } from '../organization/quota.ts';
import { splitDatabaseUrl } from '../platform/database/postgres/split-database-url.ts';
import type { ServiceOptions } from '../service.ts';
import { helpFlag, OptionError, withUsage } from './command-line.ts';
import { parseAttachments } from './parse-attachments.ts';
import { parseGithubApp } from './parse-github-app.ts';
import { parseSigningKeySetting } from './parse-signing-key.ts';

export const defaultDataFolder = 'service-data';

const toQuotaSetting = <Name extends QuotaName>(name: Name) => `quota-${name}` as const;

/** Settings with a value: flag, value, purpose. Each has an environment variable, too. */
const settings = [
  ['port', 'NUMBER', 'the port to listen on; 0 for any free port (default 8080)'],
  ['host', 'ADDRESS', 'the address to listen on (default 127.0.0.1)'],
  ['data', 'FOLDER', 'the folder for the database and all files (default service-data)'],
  [
    'database',
    'URL',
    'keeps records and attachments in a PostgreSQL database, such as postgres://user@db.example.com/compliance, ' +
      'which any number of services can use (default: SQLite in the data folder)',
  ],
  [
    'attachments',
    'URL',
    'keeps attachments in an S3-compatible storage, such as s3://bucket/prefix?region=eu-central-1; ' +
      'needs a PostgreSQL database',
  ],
  [
    'public-url',
    'URL',
    'the address at which clients and browsers reach the service, for links (default: the address it listens on)',
  ],
  [
    'trusted-proxy',
    'ADDRESS',
    'a proxy in front of the service, or its network (10.0.0.0/8), whose X-Forwarded-For names the clients; ' +
      'can be repeated, or separated by commas',
  ],
  ['org', 'NAME', 'creates this organization, with an API key, unless it exists'],
  ['key', 'KEY', "that organization's first key (default: a generated one, shown once or written to a file)"],
  ['admin-key', 'KEY', 'a key that may create organizations, with POST /admin/v1/organizations'],
  ['smtp-url', 'URL', 'the mail server for e-mail notifications, such as smtps://user:password@mail.example.com'],
  ['smtp-from', 'ADDRESS', 'the sender of these e-mails'],
  [
    'github-app-id',
    'NUMBER',
    'the GitHub App that sets checks; needs COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY and ' +
      'COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET, or the names of files in the same variables with _FILE at their end',
  ],
  [
    'github-api-url',
    'URL',
    "the API of a GitHub Enterprise Server, such as https://github.example.com/api/v3 (default: github.com's)",
  ],
  [
    'github-installation',
    'ORG=NUMBER',
    'the organization that an installation of the app belongs to, such as acme=12345678; can be repeated, or ' +
      'separated by commas',
  ],
  ...quotaNames.map(
    (name) =>
      [
        toQuotaSetting(name),
        'NUMBER',
        `the quota of ${name} of each organization (default: no limit), or of one, such as acme=500000; can be repeated, or separated by commas`,
      ] as const,
  ),
] as const;

/** Flags without a value. Each has an environment variable, too. */
const switches = [
  ['allow-private-targets', 'allows notifications to be sent to private networks and to this machine'],
  ['allow-private-issuers', 'allows logins with identity tokens of issuers in private networks, such as a GHES'],
  [
    'trash-unnamed-attachments',
    'for one start: moves all attachments that no record refers to into the trash folder, regardless of their number',
  ],
  [
    'accept-loss',
    'for one start: starts although the write-ahead log of a service that was killed is missing, and the latest ' +
      'records may be lost',
  ],
] as const;

type Setting = (typeof settings)[number][0] | (typeof switches)[number][0];

/** The environment variable of a setting. Secrets belong there, because other users of the machine can read flags. */
function toVariableName(setting: Setting): string {
  return `COMPLIANCE_SERVICE_${setting.toUpperCase().replaceAll('-', '_')}`;
}

export const usage = [
  'Usage: npm run service -- [options]',
  '       npm run service -- backup DIR | verify DIR | restore DIR | create-key | copy',
  '       npm run service -- verify | verifier-key | rotate-signing-key',
  '',
  'Starts the service; creates, verifies or restores a backup (see: npm run service -- backup -h);',
  'creates an API key (see: npm run service -- create-key -h);',
  'moves from a data folder to PostgreSQL (see: npm run service -- copy -h);',
  'or verifies transparency logs and manages their keys (see: npm run service -- verify -h, and the others with -h).',
  '',
  ...settings.map(([name, value, purpose]) => `  --${name} ${value}\n      ${purpose}; or ${toVariableName(name)}`),
  ...switches.map(([name, purpose]) => `  --${name}\n      ${purpose}; or ${toVariableName(name)}=true`),
  '  --version\n      prints the version of the service and of Node.js',
].join('\n');

/**
 * Reads the settings from the command line, else from the environment. Empty values count as absent, because unset
 * variables of a script arrive as empty ones.
 *
 * @returns 'help' if `--help` was given, 'version' if `--version` was
 * @throws OptionError
 */
export function parseServiceOptions(
  words: readonly string[],
  environment: EnvironmentVariables,
): ServiceOptions | 'help' | 'version' {
  const flags = readFlags(words);
  if (flags['help'] === true) return 'help';
  if (flags['version'] === true) return 'version';
  const valueOf = (setting: Setting): string | undefined => readSetting(setting, flags[setting], environment);
  const isOn = (setting: Setting): boolean => flags[setting] === true || parseSwitch(setting, valueOf(setting));
  const key = parseFirstKey(valueOf('key'));
  const org = readOrganization(flags['org'], environment);
  if (key !== undefined && org === undefined)
    throw new OptionError('--key requires --org: set it to the organization of the key');
  return {
    host: valueOf('host') ?? '127.0.0.1',
    port: parsePort(valueOf('port') ?? '8080'),
    dataFolder: readDataFolder(flags['data'], environment) ?? defaultDataFolder,
    database: readDatabase(flags, environment),
    publicUrl: parsePublicUrl(valueOf('public-url')),
    trustedProxies: parseTrustedProxies(valueOf('trusted-proxy')),
    adminKey: parseAdminKey(valueOf('admin-key')),
    first: org === undefined ? undefined : { org, key },
    mail: parseMailServer(valueOf('smtp-url'), valueOf('smtp-from')),
    github: parseGithubApp(
      {
        id: valueOf('github-app-id'),
        apiUrl: valueOf('github-api-url'),
        installations: valueOf('github-installation'),
      },
      environment,
    ),
    signingKeys: parseSigningKeySetting(environment),
    quotas: parseQuotas((name) => valueOf(toQuotaSetting(name))),
    allowPrivateTargets: isOn('allow-private-targets'),
    allowPrivateIssuers: isOn('allow-private-issuers'),
    trashUnnamedAttachments: isOn('trash-unnamed-attachments'),
    acceptLoss: isOn('accept-loss'),
  };
}

/** The value of the flag, else of its environment variable. Empty values count as absent. */
function readSetting(setting: Setting, flag: unknown, environment: EnvironmentVariables): string | undefined {
  const given = Array.isArray(flag) ? flag.join(',') : typeof flag === 'string' ? flag : undefined;
  return [given, environment[toVariableName(setting)]].find((value) => value !== undefined && value !== '');
}

/** The data folder from the flag or the environment; undefined if neither names one. */
export function readDataFolder(flag: unknown, environment: EnvironmentVariables): string | undefined {
  return readSetting('data', flag, environment);
}

/**
 * The organization from the flag or the environment; undefined if neither names one.
 *
 * @throws OptionError
 */
export function readOrganization(flag: unknown, environment: EnvironmentVariables): string | undefined {
  const org = readSetting('org', flag, environment);
  if (org === undefined || violations(orgName, org).length === 0) return org;
  throw new OptionError(
    `--org ${org} is not a valid name of an organization; use letters, digits and . - _ ~, and begin with a letter or digit`,
  );
}

function isRepeatable(setting: Setting): boolean {
  return ['trusted-proxy', 'github-installation'].includes(setting) || setting.startsWith('quota-');
}

function readFlags(words: readonly string[]): Readonly<Record<string, unknown>> {
  const flags = Object.fromEntries(
    settings.map(([name]) => [name, { type: 'string' as const, multiple: isRepeatable(name) }]),
  );
  const switched = Object.fromEntries(switches.map(([name]) => [name, { type: 'boolean' as const }]));
  const flag = { type: 'boolean' } as const;
  const options = { ...flags, ...switched, help: helpFlag, version: flag };
  return withUsage(usage, () => parseArgs({ args: [...words], options }).values);
}

/**
 * The URL of the PostgreSQL database from the flag or the environment; undefined for SQLite.
 *
 * @throws OptionError
 */
export function readDatabaseUrl(
  flag: unknown,
  environment: EnvironmentVariables,
  name = '--database',
): string | undefined {
  const url = readSetting('database', flag, environment);
  try {
    if (url !== undefined) splitDatabaseUrl(url, name);
  } catch (error) {
    throw new OptionError(errorMessage(error), { cause: error });
  }
  return url;
}

/**
 * The PostgreSQL database, and the object storage for attachments, from the flags or the environment; undefined for
 * SQLite.
 *
 * @throws OptionError
 */
export function readDatabase(
  flags: { readonly database?: unknown; readonly attachments?: unknown },
  environment: EnvironmentVariables,
  name = '--database',
): ServiceOptions['database'] {
  const url = readDatabaseUrl(flags.database, environment, name);
  const attachments = parseAttachments(readSetting('attachments', flags.attachments, environment), environment);
  if (url !== undefined) return { url, attachments };
  if (attachments === undefined) return undefined;
  throw new OptionError(
    `--attachments requires ${name} postgres://…, because with SQLite a backup copies the data folder, ` +
      'and attachments elsewhere would be missing in it',
  );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new OptionError(`--port ${text} is not a valid port; use a number from 0 to 65535`);
}

export function parsePublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isPlain = /^https?:\/\/[^\s?#]+$/iu.test(text);
  if (!isPlain || url?.username !== '' || url.password !== '') {
    throw new OptionError(
      `--public-url ${text} must be an http(s) URL without spaces, query, fragment or credentials, such as https://compliance.example.com`,
    );
  }
  const address = text.replace(/\/+$/, '');
  // A `base-url` ends in it. Every link would have it twice, and no identity token would be for this service.
  const withoutPrefix = address.replace(/\/api\/v2$/, '').replace(/\/+$/, '');
  if (withoutPrefix !== address) {
    throw new OptionError(`--public-url ${text} must not end in /api/v2, which the service adds; use ${withoutPrefix}`);
  }
  return address;
}

function parseTrustedProxies(text = ''): readonly string[] {
  const proxies = text.split(',').flatMap((proxy) => (proxy.trim() === '' ? [] : [proxy.trim()]));
  for (const proxy of proxies) {
    const [address = '', prefix = '1', ...rest] = proxy.split('/');
    const bits = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
    // Fastify refuses a prefix of 0: everyone could then claim any address.
    if (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits && rest.length === 0) continue;
    throw new OptionError(`--trusted-proxy ${proxy} must be an IP address or a network, such as 10.0.0.0/8`);
  }
  return proxies;
}

/** @throws OptionError, which does not contain the key */
function parseFirstKey(text: string | undefined): ApiKey | undefined {
  const key = parseApiKey(text ?? '');
  if (key !== undefined || text === undefined) return key;
  throw new OptionError(`--key or ${toVariableName('key')} does not have the form of an API key: ${apiKeyForm}`);
}

/** @throws OptionError if the key is weak. The second command of the remedy works without OpenSSL. */
function parseAdminKey(key: string | undefined): string | undefined {
  const weakness = key === undefined ? undefined : findWeakness(key);
  if (weakness === undefined) return key;
  throw new OptionError(
    `the administration key (--admin-key or ${toVariableName('admin-key')}) ${weakness}. ` +
      `Generate a strong one with: openssl rand -hex 32, or: node -p "crypto.randomBytes(32).toString('hex')"`,
  );
}

function parseMailServer(url: string | undefined, from: string | undefined): ServiceOptions['mail'] {
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined || from === undefined) throw new OptionError('--smtp-url and --smtp-from must be set together');
  const { protocol, hostname } = URL.parse(url) ?? { protocol: '', hostname: '' };
  if (!['smtp:', 'smtps:'].includes(protocol) || hostname === '') {
    throw new OptionError('--smtp-url must be an smtp(s) URL, such as smtps://user:password@mail.example.com');
  }
  if (!/[^\s@<]@[^\s@>]/u.test(from))
    throw new OptionError('--smtp-from must be an e-mail address, such as compliance@example.com');
  return { url, from };
}

/** @throws OptionError */
function parseQuotas(valueOf: (name: QuotaName) => string | undefined): Quotas | undefined {
  const given = quotaNames.flatMap((name) => {
    const text = valueOf(name);
    return text === undefined ? [] : [[name, new Map(text.split(',').map((part) => parseQuota(name, part)))] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The organization, or an empty name for each, and its quota. */
function parseQuota(name: QuotaName, text: string): readonly [org: string, limit: number] {
  const [limit = '', org = ''] = text.split('=').reverse();
  const isValid = text === `${org}=${limit}` ? violations(orgName, org).length === 0 : text === limit;
  if (isValid && /^\d{1,15}$/u.test(limit)) return [org, Number(limit)];
  throw new OptionError(
    `--${toQuotaSetting(name)} ${text} must be a number for each organization, such as 100000, or for one, such as acme=500000`,
  );
}

function parseSwitch(setting: Setting, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw new OptionError(`${toVariableName(setting)} must be true or false`);
}
