import type {} from './start-test-servers.ts';

/** Runs once, after all tests of `npm run test:postgres`. */
export default async function stop(): Promise<void> {
  await globalThis.stopTestServers?.();
}
