import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { accessErrors, type ErrorResponse } from './errors.ts';
import { fingerprint, orgName } from './names.ts';
import { strictObject, Type } from './schema.ts';

export const noSigningKey = {
  status: 503,
  message: 'The service has no signing key; its operator has to set COMPLIANCE_SERVICE_SIGNING_KEY_FILE',
  when: 'The service uses PostgreSQL and was started without a signing key.',
} as const satisfies ErrorResponse;

export const notInLog = {
  status: 404,
  message: 'The log of organization {org} has no such entry or tile',
  when: 'The log is shorter, or has no entry of the record.',
} as const satisfies ErrorResponse;

export const proofQuery = strictObject({
  index: Type.Optional(Type.Integer({ minimum: 0 })),
  attestation_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  fingerprint: Type.Optional(fingerprint),
  policy: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  version: Type.Optional(Type.Integer({ minimum: 1 })),
});

/** What the endpoints of the log have in common. */
export const logAccess = {
  parameters: Type.Object({ org: orgName }),
  authentication: ['bearer', 'basic'],
  errors: [...accessErrors, notInLog, noSigningKey],
} as const;

const toSuccess = (description: string, mediaType = 'text/plain'): Endpoint['success'] => [
  { status: 200, description, schema: Type.String(), mediaType },
];

/** The endpoints of the transparency logs, at the root of the service (C2SP tlog-tiles). */
export const logEndpoints: readonly Endpoint[] = [
  defineEndpoint('GET /log/{org}/checkpoint', {
    ...logAccess,
    title: 'Get the checkpoint of the log',
    success: toSuccess('A signed note.'),
  }),
  defineEndpoint('GET /log/{org}/tile/{tile}', {
    ...logAccess,
    title: 'Get a tile of the log',
    parameters: Type.Object({
      ...logAccess.parameters.properties,
      tile: Type.String({ description: 'Level and index, or `entries` and index, with slashes: `0/x001/234`.' }),
    }),
    success: toSuccess('Hashes, or entries.', 'application/octet-stream'),
  }),
  defineEndpoint('GET /log/{org}/verifier-key', {
    ...logAccess,
    title: 'Get the verifier keys of the log',
    success: toSuccess('A line for each key.'),
  }),
  defineEndpoint('GET /log/{org}/proof', {
    ...logAccess,
    title: 'Get a proof of the log',
    query: proofQuery,
    success: toSuccess('A `.tlog-proof` of the one record that the query names.'),
  }),
];
