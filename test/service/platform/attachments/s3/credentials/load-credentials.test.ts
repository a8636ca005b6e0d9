import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../../../src/runtime/clock.ts';
import { describeError } from '../../../../../../src/runtime/failure.ts';
import type { CredentialSource } from '../../../../../../src/service/platform/attachments/s3/credentials/credential-source.ts';
import { CredentialsError } from '../../../../../../src/service/platform/attachments/s3/credentials/credentials-error.ts';
import { loadCredentials } from '../../../../../../src/service/platform/attachments/s3/credentials/load-credentials.ts';
import { closedPort } from '../../../../../../tools/loopback-server.ts';
import { manualClock } from '../../../../../support/clock.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { type FakeCredentials, startFakeCredentials, stsRefusal } from '../../../../../support/fake-credentials.ts';
import type { FakeReply } from '../../../../../support/fake-server.ts';
import { startRawServer } from '../../../../../support/raw-server.ts';

const keys = { accessKeyId: 'ASIATEMPORARY', secretAccessKey: 'the-temporary-secret', sessionToken: 'the-session' };
// The provider for instances compares it with the system's clock.
const expiration = new Date('2126-01-02T04:00:00Z');
const secrets = /the-temporary-secret|the-session|the-authorization|the-web-token/u;

let server: FakeCredentials;
let folder: string;
let environment: NodeJS.ProcessEnv;
beforeEach(async () => {
  environment = { ...process.env };
  server = await startFakeCredentials();
  server.give(keys, expiration);
  folder = await mkdtemp(join(tmpdir(), 'compliance-credentials-'));
  // The providers read these variables themselves.
  process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = server.url;
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = join(folder, 'credentials');
  process.env['AWS_CONFIG_FILE'] = join(folder, 'config');
  await writeFile(join(folder, 'token'), 'the-authorization');
  await writeFile(join(folder, 'web-token'), 'the-web-token');
});
afterEach(async () => {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
  await server.close();
  await rm(folder, { recursive: true });
});

// The providers read the rest from these variables.
const container = (fullUri = `${server.url}/credentials`): CredentialSource => {
  process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = fullUri;
  process.env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'] = join(folder, 'token');
  return { kind: 'container', variable: 'AWS_CONTAINER_CREDENTIALS_FULL_URI' };
};
const webIdentity = (endpoint = server.url, tokenFile = join(folder, 'web-token')): CredentialSource => {
  process.env['AWS_ROLE_ARN'] = 'arn:aws:iam::123456789012:role/evidence';
  process.env['AWS_WEB_IDENTITY_TOKEN_FILE'] = tokenFile;
  return { kind: 'web-identity', sessionName: 'compliance-service', region: 'eu-central-1', endpoint };
};
const profile: CredentialSource = { kind: 'profile', profile: 'evidence', region: 'eu-central-1' };
const instance: CredentialSource = { kind: 'instance' };

/** The error of a source, as it reaches the log. */
async function failure(source: CredentialSource): Promise<CredentialsError> {
  const error: unknown = await loadCredentials(source, systemClock).then(
    () => new Error('there are credentials'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CredentialsError)) throw error;
  expect(error.message).not.toMatch(secrets);
  expect(error.cause).toBeUndefined();
  return error;
}

describe('credentials', () => {
  const opened = closeAfterEach();
  it('come from the endpoint of a container, with the token in the file at that time', async () => {
    expect(await loadCredentials(container(), systemClock)).toMatchObject({ ...keys, expiration });
    await writeFile(join(folder, 'token'), 'the-next-authorization');
    await loadCredentials(container(), systemClock);
    expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([
      'the-authorization',
      'the-next-authorization',
    ]);
  });

  it('come from STS, for the token of a web identity in the file at that time', async () => {
    expect(await loadCredentials(webIdentity(), systemClock)).toMatchObject({ ...keys, expiration });
    await writeFile(join(folder, 'web-token'), 'the-next-web-token');
    await loadCredentials(webIdentity(), systemClock);
    const forms = server.calls.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(forms).toMatchObject([
      {
        Action: 'AssumeRoleWithWebIdentity',
        RoleArn: 'arn:aws:iam::123456789012:role/evidence',
        RoleSessionName: 'compliance-service',
        WebIdentityToken: 'the-web-token',
      },
      { WebIdentityToken: 'the-next-web-token' },
    ]);
  });

  it('come from a profile in the shared files, as they are at that time', async () => {
    const write = (key: string): Promise<void> =>
      writeFile(
        join(folder, 'credentials'),
        `[other]\naws_access_key_id = OTHER\n\n[evidence]\naws_access_key_id = ${key}\naws_secret_access_key = secret\n`,
      );
    await write('FIRST');
    expect(await loadCredentials(profile, systemClock)).toMatchObject({
      accessKeyId: 'FIRST',
      secretAccessKey: 'secret',
    });
    await write('SECOND');
    expect(await loadCredentials(profile, systemClock)).toMatchObject({ accessKeyId: 'SECOND' });
    expect(server.calls).toEqual([]);
  });

  it('come from the metadata service of the instance, by its second version', async () => {
    expect(await loadCredentials(instance, systemClock)).toMatchObject({ ...keys, expiration });
    expect(server.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/the-role',
    ]);
    expect(server.calls[2]?.headers['x-aws-ec2-metadata-token']).toBe('metadata-token');
  });

  it.each<[string, () => CredentialSource, FakeReply, RegExp, boolean]>([
    ['container', container, { status: 403, body: '{"Code":"AccessDenied"}' }, /status: 403$/u, false],
    ['container', container, { status: 400, body: '{"Message":"the-authorization"}' }, /status: 400$/u, false],
    ['container', container, { status: 500 }, /status: 500/u, true],
    ['container', container, { status: 429 }, /status: 429/u, true],
    [
      'container',
      container,
      { status: 200, body: '{"Secret":"the-temporary-secret' },
      /the answer is not valid JSON/u,
      false,
    ],
    ['container', container, { status: 200, body: '{}' }, /AccessKeyId: string/u, false],
    [
      'STS',
      webIdentity,
      stsRefusal(403, 'AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity'),
      /AWS_ROLE_ARN.*: AccessDenied: Not authorized to perform sts/u,
      false,
    ],
    ['STS', webIdentity, stsRefusal(400, 'ExpiredTokenException', 'Token expired'), /Token expired/u, false],
    ['STS', webIdentity, stsRefusal(503, 'ServiceUnavailable', 'Later'), /Later/u, true],
    [
      'STS',
      webIdentity,
      stsRefusal(400, 'InvalidIdentityToken', 'eyJhbGci.eyJzdWIi.c2ln'),
      /InvalidIdentityToken\w*: \*\*\*$/u,
      false,
    ],
    ['instance', () => instance, { status: 404 }, /metadata service/u, true],
    ['instance', () => instance, { status: 400 }, /metadata service/u, false],
  ])('from a %s may be refused', async (_name, source, fault, message, isTransient) => {
    server.failNext(fault);
    const error = await failure(source());
    expect(error.message).toMatch(message);
    expect(error.isTransient).toBe(isTransient);
  });

  it('are missing for now if the source does not listen', async () => {
    const nobody = `http://127.0.0.1:${await closedPort()}`;
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = nobody;
    for (const source of [container(`${nobody}/credentials`), webIdentity(nobody), instance]) {
      expect(await failure(source)).toMatchObject({ isTransient: true });
    }
  });

  it.each<[string, () => CredentialSource, RegExp]>([
    ['the file of the token is missing', () => webIdentity(server.url, '/no/such/token'), /no\/such\/token/u],
    ['the profile is missing', () => profile, /Could not resolve credentials using profile: \[evidence\]/u],
    [
      'the path leads elsewhere',
      () => {
        process.env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] = '@example.com/';
        return container();
      },
      /must either be HTTPS or match/u,
    ],
    ['the endpoint has no address', () => container('credentials'), /Invalid URL/u],
    [
      'the endpoint is not inside the container',
      () => container('http://example.com/'),
      /must either be HTTPS or match/u,
    ],
  ])('are missing if %s', async (_what, source, message) => {
    const error = await failure(source());
    expect(error.message).toMatch(message);
    expect(error.isTransient).toBe(false);
  });

  it('are missing if the token of a container is not one line', async () => {
    await writeFile(join(folder, 'token'), 'the-authorization\r\nHost: example.com');
    expect(await failure(container())).toMatchObject({
      message: expect.stringMatching(/Authorization token contains invalid/u) as unknown,
      isTransient: false,
    });
    expect(server.calls).toEqual([]);
  });

  it('are missing for now if the endpoint of a container does not answer', async () => {
    const silent = opened(await startRawServer());
    const clock = manualClock();
    const failed = loadCredentials(container(`http://127.0.0.1:${silent.port}/the-path`), clock).then(
      () => 'there are credentials',
      describeError,
    );
    await silent.connected(1);
    await clock.advance(5000);
    expect(await failed).toMatch(/^no credentials from the role of the container, at \w+: no answer within 5 s$/u);
    expect(clock.pending()).toBe(0);
  });

  it('are missing if the command of the profile fails, which is not shown', async () => {
    await writeFile(join(folder, 'config'), '[profile evidence]\ncredential_process = false the-temporary-secret\n');
    expect((await failure(profile)).message).toMatch(/: the credential_process of the profile failed$/u);
  });
});
