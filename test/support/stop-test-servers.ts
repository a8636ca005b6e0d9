import type {} from './start-test-servers.ts';

/** Runs once, after all tests of `npm run test:postgres` and `npm run test:real`. */
export default async function stop(): Promise<void> {
  await globalThis.stopTestServers?.();
}
