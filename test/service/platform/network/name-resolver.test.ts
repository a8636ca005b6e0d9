import { describe, expect, it } from '@jest/globals';
import { createNameResolver, type NameServices } from '../../../../src/service/platform/network/name-resolver.ts';

function fault(code: string): Error {
  return Object.assign(new Error(`query ${code}`), { code });
}

describe('the resolver of names', () => {
  const services = (change: Partial<NameServices> = {}): NameServices => ({
    lookup: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]),
    resolve4: () => Promise.resolve(['8.8.8.8']),
    resolve6: () => Promise.resolve(['2a00::1']),
    ...change,
  });
  const never = (): Promise<never> => Promise.reject(new Error('it must not be asked'));

  it('asks DNS for every address, and not the system, which has few threads', async () => {
    const resolve = createNameResolver(services({ lookup: never }), false);
    expect(await resolve('hooks.example.com')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2a00::1', family: 6 },
    ]);
  });

  it('accepts addresses of only one family', async () => {
    const none = (): Promise<never> => Promise.reject(fault('ENODATA'));
    expect(await createNameResolver(services({ resolve6: none }), false)('a.example')).toHaveLength(1);
    expect(await createNameResolver(services({ resolve4: none }), false)('a.example')).toHaveLength(1);
  });

  it.each(['ENOTFOUND', 'ETIMEOUT', 'ESERVFAIL'])('throws if DNS has none: %s', async (code) => {
    const none = (): Promise<never> => Promise.reject(fault(code));
    const resolve = createNameResolver(services({ resolve4: none, resolve6: none, lookup: never }), false);
    await expect(resolve('a.example')).rejects.toThrow(code);
  });

  it('asks the system if there is no DNS server, for this machine, and for private names if they are allowed', async () => {
    const refused = (): Promise<never> => Promise.reject(fault('ECONNREFUSED'));
    const system = [{ address: '10.0.0.1', family: 4 }];
    const without = createNameResolver(services({ resolve4: refused, resolve6: refused }), false);
    expect(await without('a.example')).toEqual(system);
    const none = services({ resolve4: never, resolve6: never });
    expect(await createNameResolver(none, false)('localhost')).toEqual(system);
    expect(await createNameResolver(none, true)('a.example')).toEqual(system);
  });
});
