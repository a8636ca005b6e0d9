import { describe, expect, it } from '@jest/globals';
import { parseRepositoryAddress } from '../../../src/service/login/repository-address.ts';

describe('parseRepositoryAddress', () => {
  it.each([
    'https://github.com/acme/web',
    'https://GitHub.com:443/acme/web.git',
    'http://user:password@github.com/acme/web/',
    'git@github.com:acme/web.git',
    'github.com:acme/web',
    'git@github.com:/acme/web/',
    'ssh://git@github.com/acme/web.git/',
    'ssh://git@ssh.github.com:443/acme/web.git',
    'git://github.com/acme/web',
    'https://www.github.com/acme/web',
    'https://github.com./acme/web',
    'git@github.com.:acme/web.git',
  ])('finds the server and the path in %s', (text) => {
    expect(parseRepositoryAddress(text)).toEqual({ host: 'github.com', path: 'acme/web' });
  });

  it.each(['acme/web', '/acme/web.git', 'file:///acme/web'])('finds no server in %s', (text) => {
    expect(parseRepositoryAddress(text)).toEqual({ host: undefined, path: 'acme/web' });
  });

  it('does not take the server of one address for that of another', () => {
    for (const text of ['https://github.com.example.org/acme/web', 'https://github.com@example.org/acme/web']) {
      expect(parseRepositoryAddress(text).host).toMatch(/example\.org$/u);
    }
    expect(parseRepositoryAddress('git@example.org:github.com/acme/web').path).toBe('github.com/acme/web');
    for (const mark of ['#', '?', '\\']) {
      expect(parseRepositoryAddress(`git@github.com${mark}example.org:acme/web`).host).not.toBe('github.com');
    }
  });

  it.each(['https://', 'ssh://git@', 'git@'])('finds an internationalized server in an address with %s', (start) => {
    for (const host of ['münchen.example', 'MÜNCHEN.example', 'xn--mnchen-3ya.example']) {
      const address = `${start}${host}${start.includes('://') ? '/' : ':'}acme/web`;
      expect(parseRepositoryAddress(address)).toEqual({ host: 'xn--mnchen-3ya.example', path: 'acme/web' });
    }
  });
});
