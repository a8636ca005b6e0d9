import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment } from 'jest-environment-node';
import { requireNatively } from './transform.ts';

/**
 * An environment whose tests share with the modules that Node.js loads (`transform.ts`) what both name or change: the
 * classes of errors and collections, the variables of the process, and timers.
 */
export default class NativeEnvironment extends TestEnvironment {
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    super(...given);
    const [{ projectConfig: config }] = given;
    const errors = { Error, AggregateError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
    Object.assign(this.global, { ...errors, Map, Set, Promise, requireNatively });
    this.global.process.env = process.env;
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }
}
