import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { S3Credentials } from '../../src/service/platform/attachments/s3/credentials/credential-source.ts';
import { serve } from '../../tools/loopback-server.ts';

/** A request for credentials. */
export interface CredentialCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the server answers instead of credentials; undefined for nothing at all. */
export type CredentialFault = { readonly status: number; readonly body?: string } | undefined;

/**
 * Gives out credentials like a container's endpoint (`/credentials`), like STS (`POST /`), and like the metadata service
 * of an instance (`/latest`).
 */
export interface FakeCredentials {
  readonly url: string;
  readonly calls: readonly CredentialCall[];
  /** What is given out from now on. */
  give(credentials: S3Credentials, expiration: Date): void;
  /** The next requests get these faults, one each. */
  failNext(...faults: readonly CredentialFault[]): void;
  close(): Promise<void>;
}

/** Starts a server on a free port of the loopback interface. */
export async function startFakeCredentials(): Promise<FakeCredentials> {
  const calls: CredentialCall[] = [];
  const faults: CredentialFault[] = [];
  let given = { accessKeyId: '', secretAccessKey: '', sessionToken: '', expiration: '' };

  function answer(method: string, path: string): CredentialFault {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = given;
    if (faults.length > 0) return faults.shift();
    if (method === 'POST') return { status: 200, body: stsAnswer(given) };
    if (path === '/latest/api/token') return { status: 200, body: 'metadata-token' };
    if (path === '/latest/meta-data/iam/security-credentials/') return { status: 200, body: 'the-role' };
    const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
    return { status: 200, body: JSON.stringify({ Code: 'Success', ...keys, Expiration: expiration }) };
  }

  const { url, close } = await serve((request, response) => {
    const { method = '', url: path = '', headers } = request;
    void text(request).then((body) => {
      calls.push({ method, path, headers, body });
      const answered = answer(method, path);
      if (answered !== undefined) response.writeHead(answered.status).end(answered.body);
    });
  });
  return {
    url,
    calls,
    give: ({ accessKeyId, secretAccessKey, sessionToken = '' }, expiration) => {
      given = { accessKeyId, secretAccessKey, sessionToken, expiration: expiration.toISOString() };
    },
    failNext: (...next) => {
      faults.push(...next);
    },
    close,
  };
}

function stsAnswer(given: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: string;
}): string {
  return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <Credentials>
      <AccessKeyId>${given.accessKeyId}</AccessKeyId>
      <SecretAccessKey>${given.secretAccessKey}</SecretAccessKey>
      <SessionToken>${given.sessionToken}</SessionToken>
      <Expiration>${given.expiration}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>00000000-0000-0000-0000-000000000000</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`;
}

/** The answer of STS when it refuses. */
export function stsRefusal(status: number, code: string, message: string): CredentialFault {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${error}</ErrorResponse>` };
}
