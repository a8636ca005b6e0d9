import prepareTests from './prepare-tests.ts';
import { skippedTests, startTestServers, type StopTestServers } from './test-servers.ts';

declare global {
  /** Jest loads its setup and its teardown apart, and has no other way from one to the other. */
  var stopTestServers: StopTestServers | undefined;
}

/** Runs once, before all tests of `npm run test:postgres`. */
export default async function prepare(): Promise<void> {
  prepareTests();
  for (const sentence of skippedTests()) console.log(sentence);
  globalThis.stopTestServers = await startTestServers();
}
