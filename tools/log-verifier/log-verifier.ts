import { join } from 'node:path';

/** The program that verifies transparency logs with the libraries of Go. */
export const logVerifier = join(import.meta.dirname, '..', '..', 'build', 'log-verifier');
