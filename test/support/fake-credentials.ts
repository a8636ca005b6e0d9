import type { S3Credentials } from '../../src/service/platform/attachments/s3/credentials/credential-source.ts';
import { type FakeReply, type FakeRequest, startFakeServer } from './fake-server.ts';

/**
 * Gives out credentials like a container's endpoint (`/credentials`), like STS (`POST /`), and like the metadata service
 * of an instance (`/latest`).
 */
export interface FakeCredentials {
  readonly url: string;
  readonly calls: readonly FakeRequest[];
  /** What is given out from now on. */
  give(credentials: S3Credentials, expiration: Date): void;
  /** The next requests get these faults, one each. */
  failNext(...faults: readonly FakeReply[]): void;
  close(): Promise<void>;
}

/** Starts a server on a free port of the loopback interface. */
export async function startFakeCredentials(): Promise<FakeCredentials> {
  const faults: FakeReply[] = [];
  let given = { accessKeyId: '', secretAccessKey: '', sessionToken: '', expiration: '' };

  function answer({ method, url: path }: FakeRequest): FakeReply {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = given;
    const fault = faults.shift();
    if (fault !== undefined) return fault;
    if (method === 'POST') return { status: 200, body: stsAnswer(given) };
    if (path === '/latest/api/token') return { status: 200, body: 'metadata-token' };
    if (path === '/latest/meta-data/iam/security-credentials/') return { status: 200, body: 'the-role' };
    const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
    return { status: 200, body: JSON.stringify({ Code: 'Success', ...keys, Expiration: expiration }) };
  }

  const { url, requests: calls, close } = await startFakeServer(answer);
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
export function stsRefusal(status: number, code: string, message: string): FakeReply {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${error}</ErrorResponse>` };
}
