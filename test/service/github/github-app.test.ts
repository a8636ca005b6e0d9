import { expect, it } from '@jest/globals';
import { mayBeOfServer } from '../../../src/service/github/github-app.ts';

it.each([
  ['https://api.github.com', 'https://token.actions.githubusercontent.com', true],
  ['https://api.github.com', 'https://token.actions.githubusercontent.com/acme', true],
  ['https://api.github.com', 'https://github.example.com/_services/token', false],
  ['https://github.example.com/api/v3', 'https://github.example.com/_services/token', true],
  ['https://github.example.com/api/v3', 'https://token.actions.githubusercontent.com', false],
  ['https://api.acme.ghe.com', 'https://token.actions.acme.ghe.com', true],
  ['https://api.github.com', 'https://issuer.example.com', true],
])('a run of an app at %s with a token of %s may be of its server: %s', (apiUrl, issuer, expected) => {
  expect(mayBeOfServer({ apiUrl }, issuer)).toBe(expected);
});
