import type { KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { conforms, violations } from '../../src/contract/check.ts';
import { type Static, type TSchema, Type } from '../../src/contract/schema.ts';
import { githubError, type GitHubReply } from './fake-github.ts';
import { Breach } from './fake-github-repository.ts';
import type { FakeRequest } from './fake-server.ts';

/* What GitHub's documentation demands of the requests of an app, and what is expected of this app. */

/** GitHub's answer if the token of the app is not valid ("Generating a JSON Web Token for a GitHub App"). */
export async function refuseJwt(
  { headers }: FakeRequest,
  app: { readonly appId: number; readonly publicKey: KeyObject },
): Promise<GitHubReply | undefined> {
  try {
    const token = /^bearer (\S+)$/iu.exec(headers.authorization ?? '')?.[1] ?? '';
    const { payload } = await jwtVerify(token, app.publicKey, { algorithms: ['RS256'] });
    const { iss, iat = Infinity, exp = Infinity } = payload;
    const time = Date.now() / 1000;
    if (String(iss) !== String(app.appId)) return githubError(401, "'Issuer' claim ('iss') must be the app");
    if (iat > time) return githubError(401, "'Issued at' claim ('iat') must be in the past");
    if (exp > time + 600) return githubError(401, "'Expiration time' claim ('exp') is too far in the future");
    return undefined;
  } catch {
    return githubError(401, 'A JSON web token could not be decoded');
  }
}

const strict = { additionalProperties: false };
const nonEmpty = Type.String({ minLength: 1 });
const read = Type.Literal('read');
const write = Type.Literal('write');

/** As narrow as possible: one repository, and one permission. */
export const tokenRequest = Type.Object(
  {
    repository_ids: Type.Array(Type.Integer(), { minItems: 1, maxItems: 1 }),
    permissions: Type.Union([
      Type.Object({ checks: write }, strict),
      Type.Object({ deployments: write }, strict),
      Type.Object({ actions: read }, strict),
    ]),
  },
  strict,
);

const states = {
  status: Type.Enum(['in_progress', 'completed']),
  conclusion: Type.Optional(Type.Enum(['success', 'failure'])),
  details_url: Type.String({ pattern: '^https?://' }),
  output: Type.Object({ title: nonEmpty, summary: nonEmpty }, strict),
};
const subject = { name: nonEmpty, head_sha: Type.String({ pattern: '^[0-9a-f]{40}$' }) };

/** Both repeat the whole state, because an update without a status can complete a check. */
export const newCheckRun = Type.Object({ ...subject, ...states }, strict);
export const checkRunUpdate = Type.Object({ name: nonEmpty, ...states }, strict);

/** Without a state it is a status report. */
export const deploymentAnswer = Type.Object(
  { environment_name: nonEmpty, comment: nonEmpty, state: Type.Optional(Type.Enum(['approved', 'rejected'])) },
  strict,
);

/** @throws Breach if the body of a request is not as documented */
export function checked<Schema extends TSchema>(schema: Schema, document: unknown): Static<Schema> {
  if (conforms(schema, document)) return document;
  throw new Breach(`a documented body: ${JSON.stringify(violations(schema, document))}`);
}

export function limited(text: string, maximumBytes: number): string {
  if (Buffer.byteLength(text) > maximumBytes) throw new Breach(`a text of at most ${maximumBytes} characters`);
  return text;
}
