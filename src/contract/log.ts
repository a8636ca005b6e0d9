import type { ErrorResponse } from './endpoint.ts';

/** The error of everything that the service signs. */
export const noSigningKey = {
  status: 503,
  message: 'The service has no signing key; its operator has to set COMPLIANCE_SERVICE_SIGNING_KEY_FILE',
  when: 'The service uses PostgreSQL and was started without a signing key.',
} as const satisfies ErrorResponse;
