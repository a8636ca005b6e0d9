import base from './jest.config.js';

/** The tests that verify transparency logs with the libraries of Go: `npm run test:log`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['**/*.go.test.ts'],
};
