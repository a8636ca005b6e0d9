import base from './jest.config.js';

/** The tests of the pages in a browser: `npm run test:pages`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['**/*.pages.test.ts'],
  // A browser starts slowly on a machine that is busy.
  testTimeout: 120_000,
};
