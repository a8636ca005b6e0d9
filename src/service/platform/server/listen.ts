import type { FastifyInstance } from 'fastify';
import { errorCode, errorMessage } from '../../../runtime/failure.ts';

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** @throws Error that names the address and says what to do, if the system refuses it. */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<void> {
  try {
    await app.listen(address);
  } catch (error) {
    throw new Error(toReason(error, address), { cause: error });
  }
}

/** By the system's code (errno(3), getaddrinfo(3)). */
function toReason(error: unknown, { host, port }: ListenAddress): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use by another program; stop that, or choose another port with --port`;
    case 'EACCES':
      return `the service may not listen on port ${port}; choose a port above 1023 with --port`;
    case 'EADDRNOTAVAIL':
      return `this machine does not have the address ${host}; choose another with --host`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} cannot be resolved to an address; choose another with --host`;
    default:
      return `the service cannot listen on port ${port} of ${host}: ${errorMessage(error)}`;
  }
}
