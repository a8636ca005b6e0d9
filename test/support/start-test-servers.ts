import type { Config } from 'jest';
import prepareTests from './prepare-tests.ts';
import { skippedTests, startTestServers, type StopTestServers } from './test-servers.ts';

declare global {
  /** Jest loads its setup and its teardown apart, and has no other way from one to the other. */
  var stopTestServers: StopTestServers | undefined;
}

/** Runs once, before all tests of `npm run test:postgres` and `npm run test:real`. */
export default async function prepare(_global: unknown, { globals }: Config): Promise<void> {
  prepareTests();
  const objectStorage = globals?.['objectStorage'] === true;
  for (const sentence of skippedTests({ objectStorage })) console.log(sentence);
  globalThis.stopTestServers = await startTestServers({ objectStorage });
}
