import { beforeEach, describe, expect, it } from '@jest/globals';
import { describeError } from '../../../../../src/runtime/failure.ts';
import {
  createCredentialProvider,
  RenewedCredentials,
} from '../../../../../src/service/storage/s3/credentials/credential-provider.ts';
import type { LoadedCredentials } from '../../../../../src/service/storage/s3/credentials/loaded-credentials.ts';
import { manualClock, startOfTime, type ManualClock } from '../../../../support/clock.ts';

const minute = 60_000;
const [inAnHour, hour] = [startOfTime + 60 * minute, 60 * minute];

describe('renewed credentials', () => {
  let clock: ManualClock;
  let logged: string[];
  /** What the source was asked for, in order. */
  let asked: PromiseWithResolvers<LoadedCredentials>[];
  let credentials: RenewedCredentials;
  beforeEach(() => {
    clock = manualClock();
    logged = [];
    asked = [];
    credentials = new RenewedCredentials(
      'the source',
      () => {
        const request = Promise.withResolvers<LoadedCredentials>();
        asked.push(request);
        return request.promise;
      },
      {
        clock,
        log: { info: () => undefined, error: (line, error) => logged.push(`${line}: ${describeError(error)}`) },
      },
    );
  });

  const give = (name: string, expiration?: number): void => {
    const expires = expiration === undefined ? {} : { expiration: new Date(expiration) };
    asked.at(-1)?.resolve({ accessKeyId: name, secretAccessKey: `secret of ${name}`, ...expires });
  };
  const refuse = (message: string): void => {
    asked.at(-1)?.reject(new Error(message));
  };
  /** Runs what is ready. */
  const settled = (): Promise<void> => clock.advance(0).then(() => new Promise((resolve) => setImmediate(resolve)));
  const key = async (): Promise<string> => (await credentials.get()).accessKeyId;
  const failure = (): Promise<string> => credentials.get().then(() => 'no error', describeError);
  const start = async (expiration?: number): Promise<void> => {
    const first = key();
    give('first', expiration);
    expect(await first).toBe('first');
  };

  it('are asked for once by requests at the same time, and then used', async () => {
    const all = Promise.all([key(), key(), key()]);
    give('first', inAnHour);
    expect(await all).toEqual(['first', 'first', 'first']);
    await clock.advance(54 * minute);
    expect(await key()).toBe('first');
    expect(asked).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('are renewed five minutes before they expire, once, while requests go on with those that there are', async () => {
    await start(inAnHour);
    await clock.advance(55 * minute);
    expect(await Promise.all([key(), key()])).toEqual(['first', 'first']);
    expect(asked).toHaveLength(2);
    give('second', inAnHour + hour);
    await settled();
    expect(await key()).toBe('second');
    expect(asked).toHaveLength(2);
  });

  it('are used until shortly before they expire if they are not renewed, which is tried again and logged', async () => {
    await start(inAnHour);
    await clock.advance(56 * minute);
    expect(await key()).toBe('first');
    refuse('connect ECONNREFUSED');
    await settled();
    expect(logged).toEqual([
      'the credentials of the object storage were not renewed; they can be used until 2026-01-02T04:03:35.000Z: ' +
        'no credentials from the source: connect ECONNREFUSED',
    ]);
    await clock.advance(29_000);
    expect(await key()).toBe('first');
    expect(asked).toHaveLength(2);
    await clock.advance(1000);
    expect(await key()).toBe('first');
    expect(asked).toHaveLength(3);
    give('second', inAnHour + hour);
    await settled();
    expect(await key()).toBe('second');
  });

  it('are not used any more when they expire; requests wait for others, and fail if there are none', async () => {
    await start(inAnHour);
    await clock.advance(59.5 * minute);
    const failed = [failure(), failure()];
    refuse('connect ECONNREFUSED');
    expect(await Promise.all(failed)).toEqual(Array(2).fill('no credentials from the source: connect ECONNREFUSED'));
    const next = key();
    give('second', inAnHour + hour);
    expect(await next).toBe('second');
    expect(asked).toHaveLength(3);
  });

  it('are missing if the source does not answer in time', async () => {
    const failed = failure();
    await clock.advance(5000);
    expect(await failed).toBe('no credentials from the source: no answer within 5 s');
    await start(inAnHour);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['have expired', startOfTime + 1000, /they have expired \(2026-01-02T03:04:06.000Z\); check this machine's clock/u],
    ['expire at no valid time', Number.NaN, /they have expired \(an invalid time\)/u],
  ])('are refused if they %s', async (_what, expiration, message) => {
    const failed = failure();
    give('first', expiration);
    expect(await failed).toMatch(message);
    await start(inAnHour);
  });

  it('are read again every five minutes if they have no expiry time', async () => {
    await start();
    await clock.advance(5 * minute - 1);
    await key();
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await key();
    refuse('EACCES');
    await settled();
    expect(logged).toEqual([
      'the credentials of the object storage were not renewed: no credentials from the source: EACCES',
    ]);
    await clock.advance(hour);
    expect(await key()).toBe('first');
    give('second');
    await settled();
    expect(await key()).toBe('second');
  });

  it('are asked for again if the storage rejects them, but not at once', async () => {
    await start(inAnHour);
    const first = await credentials.get();
    expect(credentials.reject(first)).toBe(false);
    await clock.advance(31_000);
    expect(credentials.reject(first)).toBe(true);
    const second = key();
    give('second', inAnHour);
    expect(await second).toBe('second');
    // Another request had used the first ones, too.
    expect(credentials.reject(first)).toBe(true);
    expect(await key()).toBe('second');
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['accessKeyId', 'the-key\nthe-secret'],
    ['accessKeyId', 'the-key\n'],
    ['sessionToken', 'the-secret\r\nHost: example.com'],
    ['sessionToken', 'the-secret \u{1f511}'],
  ])('are missing if %s is %j, which cannot be sent and would be quoted in an error', async (name, value) => {
    const keys = { accessKeyId: 'a', secretAccessKey: 'b', [name]: value };
    const message = /^no credentials from [^:]+: \w+ has characters other than printable ASCII$/u;
    const failed = failure();
    asked.at(-1)?.resolve(keys);
    expect(await failed).toMatch(message);
    const dependencies = { clock, log: { info: () => undefined, error: () => undefined } };
    expect(
      await createCredentialProvider(keys, dependencies)
        .get()
        .then(() => 'no error', describeError),
    ).toMatch(message);
  });
});
