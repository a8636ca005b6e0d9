import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authenticate } from '../../../../../src/service/platform/server/authentication/authentication.ts';
import {
  type FailedAuthentication,
  FailedAuthentications,
  forwardedFor,
  type RequestOrigin,
  toNetwork,
} from '../../../../../src/service/platform/server/authentication/failed-authentications.ts';
import { createKey, keyIdOf, revokeKey } from '../../../../support/administration.ts';
import { codePoint } from '../../../../support/code-point.ts';
import { startTestService, type TestService } from '../../../../support/service.ts';
import { call, type Called } from '../../../../support/service-call.ts';

const start = Date.UTC(2026, 0, 2, 3, 4, 5);

describe('failed authentications', () => {
  let now: number;
  let lines: string[];
  let timers: { at: number; fire: () => void }[];
  let failures: FailedAuthentications;
  beforeEach(() => {
    now = start;
    lines = [];
    timers = [];
    failures = new FailedAuthentications({
      now: () => now,
      after: (milliseconds, fire) => {
        const timer = { at: now + milliseconds, fire };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
      log: { info: (line) => lines.push(line) },
      audit: { note: () => undefined },
    });
  });

  const origin = (change: Partial<RequestOrigin> = {}): RequestOrigin => ({
    address: '203.0.113.7',
    forwardedFor: undefined,
    method: 'GET',
    path: '/api/v2/flows/acme',
    ...change,
  });
  const guess = (change: Partial<FailedAuthentication> = {}): FailedAuthentication => ({
    key: 'key first0key',
    reason: 'was sent with a wrong secret',
    origin: origin(),
    ...change,
  });
  const unknown = (address: string): FailedAuthentication => ({
    unknownId: '0123456789abcdef',
    reason: 'was sent',
    origin: origin({ address }),
  });
  const times = <Result>(count: number, work: () => Result): readonly Result[] => Array.from({ length: count }, work);

  it('are logged with time, key, address and path', () => {
    failures.count(guess());
    failures.count(unknown('2001:db8::1'));
    failures.count({ reason: 'does not have the form of a key', origin: origin({ forwardedFor: '198.51.100.1' }) });
    expect(lines).toEqual([
      'failed authentication: key first0key was sent with a wrong secret; from 203.0.113.7; GET /api/v2/flows/acme: 401',
      'failed authentication: unknown key 0123456789abcdef was sent; from 2001:db8::1; GET /api/v2/flows/acme: 401',
      'failed authentication: what was sent does not have the form of a key; from 203.0.113.7 (forwarded for 198.51.100.1); GET /api/v2/flows/acme: 401',
    ]);
  });

  it('never log an unknown id that may be part of a secret', () => {
    for (const unknownId of ['AbCd', 'QSQtSedqW6e90Qgsdcf', '0123456789ABCDEF']) {
      failures.count(guess({ key: undefined, unknownId, reason: 'was sent' }));
    }
    expect(lines.join('\n')).not.toMatch(/AbCd|QSQt|ABCDEF/);
    expect(lines[0]).toContain('an unknown key was sent');
  });

  it('are one short line each, for any path', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 400 }), (path) => {
        lines = [];
        now += 120_000;
        failures.count(guess({ origin: origin({ path }) }));
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatch(/^[ -~]{1,400}…?: (401|429)$/);
      }),
    );
  });

  it('of one key are throttled from the eleventh in a minute, until the minute is over', () => {
    expect(times(10, () => failures.count(guess()))).toEqual(times(10, () => undefined));
    expect(failures.count(guess())).toBe(60);
    now += 59_500;
    expect(failures.count(guess())).toBe(1);
    expect(failures.count(guess({ key: 'key other1' }))).toBeUndefined();
    now += 500;
    expect(failures.count(guess())).toBeUndefined();
  });

  it('are counted from zero after the clock was set back', () => {
    times(11, () => failures.count(guess()));
    now -= 3_600_000;
    expect(failures.count(guess())).toBeUndefined();
  });

  it('with unknown keys are throttled by network, and only after many', () => {
    const answers = times(301, () => failures.count(unknown('2001:db8:0:1::1')));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([60]);
    expect(failures.count(unknown('2001:db8:0:1:ffff::2'))).toBe(60);
    expect(failures.count(unknown('2001:db8:0:2::1'))).toBeUndefined();
    expect(failures.count(guess())).toBeUndefined();
  });

  it('do not flood the log: after sixty lines a summary says how many more there were', () => {
    times(1860, () => failures.count(guess()));
    expect(lines).toHaveLength(60);
    expect(timers.map(({ at }) => at)).toEqual([start + 60_000]);
    now += 60_000;
    timers[0]?.fire();
    expect(lines.slice(60)).toEqual(['1800 more failed authentications were not logged separately']);
    failures.count(guess());
    expect(lines).toHaveLength(62);
    failures.stop();
    expect([lines.length, timers.length]).toEqual([62, 0]);
  });

  it('that were not logged yet are in a summary when the service stops', () => {
    times(61, () => failures.count(guess()));
    failures.stop();
    expect(lines.at(-1)).toMatch(/^1 more failed/u);
    expect(timers).toEqual([]);
  });

  it('use a bounded amount of memory: the oldest counters are removed first', () => {
    times(11, () => failures.count(guess()));
    for (let index = 0; index < 9_999; index += 1) failures.count(guess({ key: `key ${index}` }));
    expect(failures.count(guess())).toBe(60);
    for (let index = 0; index < 10_000; index += 1) failures.count(guess({ key: `key ${index}` }));
    expect(failures.count(guess())).toBeUndefined();
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:50000', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['[2001:db8:1:2:3:4:5:6]:50000', '2001:db8:1:2'],
    ['2001:0db8:0001::6', '2001:db8:1:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['2001:db8:1:2:3:4:5::', '2001:db8:1:2'],
    ['an unknown address', 'an unknown address'],
  ])('%s is %s', (address, network) => {
    expect(toNetwork(address)).toBe(network);
  });
});

describe('the origin of a request', () => {
  it('has the address of a client that closes the connection before its key is checked', async () => {
    const client: { ip: string | undefined } = { ip: '203.0.113.7' };
    const request = {
      get ip() {
        return client.ip;
      },
      headers: { 'x-forwarded-for': '192.0.2.1' },
      params: {},
      method: 'GET',
      url: '/path?query',
    };
    const origin = await authenticate(request, { authentication: ['bearer'], errors: [] }, (attempt) => {
      client.ip = undefined;
      return Promise.resolve(attempt.origin());
    });
    expect(origin).toEqual({ address: '203.0.113.7', forwardedFor: '192.0.2.1', method: 'GET', path: '/path' });
  });
});

describe('the client that a proxy names', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['1.1.1.1, 2001:db8::1', '2001:db8::1'],
    [['1.1.1.1', '2.2.2.2'], '2.2.2.2'],
    ['evil\nline', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('in %j is %j', (header, client) => {
    expect(forwardedFor(header)).toBe(client);
  });
});

describe('a service under a flood of guesses', () => {
  let service: TestService;
  let lines: string[];
  let errors: string[];
  beforeEach(async () => {
    [lines, errors] = [[], []];
    const log = { info: (line: string) => lines.push(line), error: (line: string) => errors.push(line) };
    service = await startTestService({ sources: { log } });
  });
  afterEach(async () => {
    expect(errors).toEqual([]);
    await service.stop();
  });

  const ask = (key: string): Promise<Called> => call(service, { path: '/service-accounts/acme', key });
  const wrong = (index: number): string => `first0key_${String(index).padStart(43, 'x')}`;

  it('throttles them, logs some of them without their secrets, and always accepts the correct key', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      const answer = await ask(wrong(index));
      statuses.push(answer.status);
      if (answer.status === 429) {
        expect(answer.body).toEqual({
          message: 'Too many failed authentications; check the API key, and try again later',
          errors: { authorization: 'was wrong too often; check the API key' },
        });
        expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      }
      if (index % 20 === 0) expect((await ask(service.apiKey)).status).toBe(200);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(90).fill(429)]);
    const logged = lines.filter((line) => line.includes('failed authentication'));
    expect(logged).toHaveLength(60);
    expect(logged[0]).toMatch(
      /^failed authentication: key first0key was sent with a wrong secret; from \S+; GET \/api\/v2\/service-accounts\/acme: 401$/,
    );
    expect(lines.join('\n')).not.toContain('xxx');
    expect(lines.join('\n')).not.toContain(service.apiKey);
    // Another key of the same client is not concerned.
    expect((await ask(await createKey(service, { role: 'admin' }))).status).toBe(200);
  });

  it('throttles guesses at the administration key, and accepts the correct one', async () => {
    const guess = {
      at: service.adminUrl,
      method: 'POST',
      path: '/organizations',
      json: { name: 'new' },
      key: 'a-guess-at-the-administration-key',
    };
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) statuses.push((await call(service, guess)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect((await call(service, { ...guess, key: service.adminKey })).status).toBe(201);
    expect(lines.join('\n')).toContain('the administration key was tried with another key');
    expect(lines.join('\n')).not.toContain('a-guess');
  });

  it('says that a key is revoked, however often it is sent', async () => {
    const key = await createKey(service, {});
    await revokeKey(service, 'ann', key);
    for (let index = 0; index < 12; index += 1) {
      expect(await ask(key)).toMatchObject({
        status: 401,
        body: {
          errors: { authorization: expect.stringMatching(/^is an API key that was revoked on .*Z; use a new one: /u) },
        },
      });
    }
    expect(lines.at(-1)).toContain(`key ${keyIdOf(key)} was sent and is revoked`);
  });

  it('does not log a request without credentials, which browsers send first', async () => {
    expect((await call(service, { path: '/service-accounts/acme', key: null })).status).toBe(401);
    expect(lines).toEqual([]);
  });
});
