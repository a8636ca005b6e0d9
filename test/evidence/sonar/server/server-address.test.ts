import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseReportTask } from '../../../../src/evidence/sonar/report-task.ts';
import { buildUrl, chooseServer, pageUrl } from '../../../../src/evidence/sonar/server/server-address.ts';
import { UserError } from '../../../../src/runtime/failure.ts';
import { userErrorOf } from '../../../support/user-error.ts';

const reportOf = (serverUrl: string) => parseReportTask(`ceTaskId=A\nserverUrl=${serverUrl}\n`, 'report-task.txt');
const choose = (hostUrl: string | undefined, serverUrl: string, hasToken = true) =>
  chooseServer(hostUrl, reportOf(serverUrl), 'report-task.txt', hasToken);

describe('the Sonar server', () => {
  it('is the one that the user sets, whatever the report says', () => {
    const address = choose('https://sonar.example.com/sonarqube/', 'https://evil.example.com');
    expect(address.url.href).toBe('https://sonar.example.com/sonarqube');
    expect(address.namedBy).toBe('input');
  });

  it('is otherwise the server in the report, with its context path', () => {
    const address = choose(undefined, 'https://sonar.example.com/sonarqube?x=1#y');
    expect(address.url.href).toBe('https://sonar.example.com/sonarqube');
    expect(address.namedBy).toBe('report');
  });

  it('is found in time if its address in the report has slashes without end', () => {
    const start = performance.now();
    expect(choose(undefined, `https://sonar.example.com${'/'.repeat(100_000)}x//`).url.href).toMatch(/\/x$/u);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it.each(['file:///etc/passwd', ''])('cannot have the address %j in the report', (wrong) => {
    expect(() => choose(undefined, wrong)).toThrow(UserError);
  });

  it.each([
    ['https://sonar.example.com/sonarqube/api/', 'https://sonar.example.com/sonarqube'],
    ['https://sonar.example.com/sonarqube/api/v2', 'https://sonar.example.com/sonarqube'],
  ])('named by its web API, %s, is refused with the address to give', async (named, right) => {
    const failure = await userErrorOf(() => choose(named, 'https://sonar.example.com'));
    expect(failure.message).toContain("is the address of Sonar's web API, not of the Sonar server");
    expect(failure.remedy).toBe(`Remove the path of the web API from its end: ${right}`);
  });

  it('may have a context path that only resembles that of its web API', () => {
    expect(choose('https://sonar.example.com/my-api', 'x').url.pathname).toBe('/my-api');
  });

  it('with a password in the report is used without it, and a warning does not contain it', () => {
    const address = choose(undefined, 'https://squ_secret:@sonar.example.com/');
    expect(address.url.href).toBe('https://sonar.example.com/');
    expect(address.warnings).toEqual([expect.stringContaining('contains a user name or password')]);
    expect(address.warnings.join('')).not.toContain('squ_secret_0123456789');
  });

  it.each([
    ['http://sonar.example.com', false, 0],
    ['http://127.0.0.1.example.com', true, 1],
  ])('at %s with a token (%s) causes %i warnings', (url, hasToken, count) => {
    expect(choose(url, 'x', hasToken).warnings).toHaveLength(count);
  });
});

describe('an address below the server', () => {
  it('keeps the origin and the context path for any values', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '/sonarqube', '/a/b/'), fc.string({ unit: 'grapheme' }), (path, value) => {
        const url = buildUrl(new URL(`https://sonar.example.com${path}`), 'api/ce/task', {
          id: value,
          branch: undefined,
        });
        expect(url.origin).toBe('https://sonar.example.com');
        expect(url.pathname).toBe(`${path.replace(/\/$/u, '')}/api/ce/task`);
        expect([...url.searchParams]).toEqual([['id', value.toWellFormed()]]);
      }),
    );
  });
});

describe('the address of a page', () => {
  it('is an http or https URL without credentials', () => {
    expect(pageUrl('https://user:secret@sonar.example.com/dashboard?id=a%3Ab')).toBe(
      'https://sonar.example.com/dashboard?id=a%3Ab',
    );
    expect(pageUrl('javascript:alert(1)')).toBeUndefined();
    expect(pageUrl('dashboard')).toBeUndefined();
    expect(pageUrl(undefined)).toBeUndefined();
  });
});
