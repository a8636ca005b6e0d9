import { describe, expect, it } from '@jest/globals';
import { IssuerKeys, IssuerUnavailableError } from '../../../../src/service/login/issuers/issuer-keys.ts';

const issuer = 'https://issuer.example.com';

/** The keys of an issuer that a test controls. */
function createIssuer() {
  const state = {
    now: 1_000_000,
    ids: ['one'],
    isDown: false,
    requests: 0,
    configuration: { issuer, jwks_uri: `${issuer}/keys` } as unknown,
  };
  const keys = new IssuerKeys(
    (url) => {
      if (url.pathname !== '/keys') return Promise.resolve(state.configuration);
      state.requests += 1;
      if (state.isDown) return Promise.reject(new Error('it answered 502'));
      return Promise.resolve({ keys: state.ids.map((kid) => ({ kid, kty: 'RSA' })) });
    },
    () => state.now,
  );
  const find = async (kid: string | undefined): Promise<readonly unknown[]> =>
    (await keys.find(issuer, kid)).map((key) => key.kid);
  return { state, find };
}

const minutes = (count: number): number => count * 60_000;

describe('the keys of an issuer', () => {
  it('are fetched once for all tokens of ten minutes', async () => {
    const { state, find } = createIssuer();
    await Promise.all([find('one'), find('one'), find('one')]);
    state.now += minutes(10) - 1;
    expect(await find('one')).toEqual(['one']);
    expect(state.requests).toBe(1);
    state.now += 1;
    state.ids = ['two'];
    // A key that was withdrawn works no longer.
    expect(await find('one')).toEqual(['two']);
    expect(state.requests).toBe(2);
  });

  it('are fetched again for an unknown one, at most every half minute', async () => {
    const { state, find } = createIssuer();
    await find('one');
    state.ids = ['one', 'two'];
    for (const kid of ['two', 'three', undefined]) expect(await find(kid)).toEqual(['one']);
    expect(state.requests).toBe(1);
    state.now += 30_000;
    expect(await find('two')).toEqual(['one', 'two']);
    expect(state.requests).toBe(2);
  });

  it('stay known during an outage, until they are old', async () => {
    const { state, find } = createIssuer();
    await find('one');
    state.isDown = true;
    state.now += 30_000;
    await expect(find('two')).rejects.toThrow(IssuerUnavailableError);
    expect(await find('one')).toEqual(['one']);
    state.now += minutes(10);
    await expect(find('one')).rejects.toMatchObject({ retryAfter: 5 });
    const asked = state.requests;
    state.now += 2000;
    await expect(find('one')).rejects.toMatchObject({ retryAfter: 3 });
    expect(state.requests).toBe(asked);
    state.now += 3000;
    state.isDown = false;
    expect(await find('one')).toEqual(['one']);
  });

  it('are fetched again after the clock was set back', async () => {
    const { state, find } = createIssuer();
    await find('one');
    state.now = 0;
    await find('one');
    expect(state.requests).toBe(2);
  });

  it.each([
    ['names another issuer', { issuer: 'https://evil.example.com', jwks_uri: `${issuer}/keys` }],
    ['has its keys elsewhere', { issuer, jwks_uri: 'https://evil.example.com/keys' }],
    ['has its keys nowhere', { issuer }],
    ['is not an object', 'nonsense'],
  ])('are not taken if the configuration %s', async (_fault, configuration) => {
    const { state, find } = createIssuer();
    state.configuration = configuration;
    await expect(find('one')).rejects.toThrow(IssuerUnavailableError);
    expect(state.requests).toBe(0);
  });

  it('are waited for by a limited number of tokens, so that those of a silent issuer do not pile up', async () => {
    let requests = 0;
    let answer: (fault: Error) => void = () => undefined;
    const silent = (): Promise<unknown> => {
      requests += 1;
      return new Promise((_resolve, reject) => {
        answer = reject;
      });
    };
    const keys = new IssuerKeys(silent, () => 1_000_000);
    let refused = 0;
    const all = Array.from({ length: 13_000 }, async (_, kid) => {
      const error: unknown = await keys.find(issuer, String(kid)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(IssuerUnavailableError);
      refused += 1;
    });
    await new Promise(setImmediate);
    expect([requests, refused]).toEqual([1, 12_500]);
    answer(new Error('no answer'));
    await Promise.all(all);
    expect(refused).toBe(13_000);
  });

  it('are at least one', async () => {
    const { state, find } = createIssuer();
    state.ids = [];
    await expect(find('one')).rejects.toThrow(IssuerUnavailableError);
  });
});
