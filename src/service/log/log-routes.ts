import type { FastifyReply, FastifyRequest } from 'fastify';
import { logAccess, noSigningKey, notInLog, proofQuery } from '../../contract/log.ts';
import { toLogOrigin } from '../../runtime/transparency-log/checkpoint.ts';
import { renderVerifierKeys } from '../../runtime/transparency-log/verifier-key.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { authenticate, requireRole } from '../platform/server/authentication/authentication.ts';
import { requestHolder } from '../platform/server/bodies/admission.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { allowCaching } from '../platform/server/json-response.ts';
import type { RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { validatePath, validateQuery } from '../platform/server/validation.ts';
import { createCheckpoint, type LogSigner, type ProofSubject, proveEntry, readTile } from './log-use-cases.ts';

/** Checkpoints change with every entry, tiles never. Only caches of the client may store them: requests need a key. */
const briefly = 'private, max-age=2';
const forever = 'private, max-age=31536000, immutable';

const plainText = 'text/plain; charset=utf-8';

interface Answer {
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** @throws ApiError if the service has no signing key */
export function requireSigner(
  { links, signingKeys }: Pick<RouteDependencies, 'links' | 'signingKeys'>,
  org: string,
): LogSigner {
  if (signingKeys === undefined) throw new ApiError(noSigningKey);
  return { origin: toLogOrigin(links.origin(), org), keys: signingKeys };
}

/**
 * Adds the endpoints of the transparency logs, at the addresses of the C2SP specification tlog-tiles. Any key of the
 * organization reads them, because entries contain no names.
 */
export function addLogRoutes(
  { app, admission }: Pick<RouteHost, 'app' | 'admission'>,
  dependencies: RouteDependencies,
): void {
  const authenticator = requireRole(dependencies, 'read', 'named later');
  const addLogRoute = (
    path: string,
    caching: string,
    answer: (org: string, request: FastifyRequest) => Promise<Answer | undefined>,
  ): void => {
    app.route({
      config: { isAuthenticated: true },
      method: 'GET',
      url: `/log/:org/${path}`,
      onRequest: async (request, reply) => {
        await authenticate(request, logAccess, authenticator);
        admission.enter(requestHolder(request), reply.raw);
      },
      onSend: (request, reply, payload, done) => {
        if (reply.statusCode === 200) allowCaching(caching).call(app, request, reply, payload, done);
        else done();
      },
      handler: async (request, reply): Promise<FastifyReply> => {
        const { org } = validatePath<typeof logAccess.parameters>(logAccess.parameters, {
          org: textParameter(request, 'org'),
        });
        const found = await answer(org, request);
        if (found === undefined) throw new ApiError(notInLog, { values: { org } });
        return reply.type(found.type).send(typeof found.body === 'string' ? found.body : Buffer.from(found.body));
      },
    });
  };
  addLogRoute('checkpoint', briefly, async (org) => {
    const { text } = await createCheckpoint(dependencies, org, requireSigner(dependencies, org));
    return { type: plainText, body: text };
  });
  addLogRoute('tile/*', forever, async (org, request) => {
    const body = await readTile(dependencies, org, textParameter(request, '*'));
    return body === undefined ? undefined : { type: 'application/octet-stream', body };
  });
  addLogRoute('verifier-key', briefly, (org) => {
    const { origin, keys } = requireSigner(dependencies, org);
    return Promise.resolve({ type: plainText, body: renderVerifierKeys(origin, keys) });
  });
  addLogRoute('proof', briefly, async (org, request) => {
    const subject = readSubject(request);
    const body = await proveEntry(dependencies, org, subject, requireSigner(dependencies, org));
    return body === undefined ? undefined : { type: plainText, body };
  });
}

function textParameter({ params }: FastifyRequest, name: string): string {
  return textAt(params, name) ?? '';
}

/** @throws ApiError unless the query names exactly one record */
function readSubject({ query }: FastifyRequest): ProofSubject {
  const {
    index,
    attestation_id: attestation,
    fingerprint: digest,
    policy,
    version,
  } = validateQuery<typeof proofQuery>(proofQuery, query);
  const subjects: readonly (ProofSubject | undefined)[] = [
    index === undefined ? undefined : { index },
    attestation === undefined ? undefined : { attestation },
    digest === undefined ? undefined : { fingerprint: digest },
    policy === undefined || version === undefined ? undefined : { policy, version },
  ];
  const [subject, ...others] = subjects.filter((each) => each !== undefined);
  if (subject !== undefined && others.length === 0) return subject;
  throw validationError(['query', 'must have one of attestation_id, fingerprint, index, or policy with version']);
}
