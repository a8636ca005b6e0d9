import base from './jest.config.js';

/** The tests that run the public client against the service: `npm run test:client`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['**/*.client.test.ts'],
};
