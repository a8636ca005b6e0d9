import { describe, expect, it } from '@jest/globals';
import { expiryWarning } from '../../../../src/evidence/sonar/server/sonar-token.ts';
import { parseSonarTime } from '../../../../src/evidence/sonar/sonar-time.ts';

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
