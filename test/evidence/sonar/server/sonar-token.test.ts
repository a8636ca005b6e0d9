import { describe, expect, it } from '@jest/globals';
import { expiryWarning, schemesFor } from '../../../../src/evidence/sonar/server/sonar-token.ts';
import { parseSonarTime } from '../../../../src/evidence/sonar/sonar-time.ts';

describe('the ways to send a token', () => {
  const own = 'https://sonar.example.com';
  it.each([
    ['https://sonarcloud.io', { serverVersion: '8.0.0.56246', organization: 'acme' }, ['bearer']],
    ['https://sonarqube.us', { serverVersion: '8.0.0.56246', organization: undefined }, ['bearer']],
    [own, { serverVersion: '8.0.0.56246', organization: 'acme' }, ['bearer', 'basic']],
    [own, { serverVersion: '10.0.0.68432', organization: undefined }, ['bearer']],
    [own, { serverVersion: '2025.1.0.102418', organization: undefined }, ['bearer']],
    [own, { serverVersion: '9.9.8.100196', organization: undefined }, ['basic']],
    [own, { serverVersion: undefined, organization: undefined }, ['bearer', 'basic']],
    [own, { serverVersion: 'nightly', organization: undefined }, ['bearer', 'basic']],
    ['https://notsonarcloud.io', { serverVersion: '9.9', organization: undefined }, ['basic']],
  ])('to %s of %j are %j', (server, report, schemes) => {
    expect(schemesFor(new URL(server), report)).toEqual(schemes);
  });
});

describe('a token', () => {
  const now = Date.UTC(2026, 0, 2);
  it.each(['2026-01-08T00:00:00+0000', '2025-12-31T00:00:00+0000'])('that expires on %s causes a warning', (end) => {
    expect(expiryWarning(end, now)).toContain(end);
  });
  it.each(['2026-01-09T00:00:01+0000', 'soon', '', undefined])('that expires on %s does not', (end) => {
    expect(expiryWarning(end, now)).toBeUndefined();
  });
});

describe("a date of Sonar's", () => {
  it('has an offset without a colon', () => {
    expect(parseSonarTime('2023-05-25T10:34:21+0200')).toBe(Date.UTC(2023, 4, 25, 8, 34, 21));
    expect(parseSonarTime('2023-05-25T10:34:21Z')).toBe(Date.UTC(2023, 4, 25, 10, 34, 21));
  });
  it('that is not valid has no time', () => {
    expect(parseSonarTime('yesterday')).toBeUndefined();
    expect(parseSonarTime(undefined)).toBeUndefined();
  });
});
