import { describe, expect, it } from '@jest/globals';
import { proxySettings } from '../../src/http/proxy-settings.ts';
import { userErrorOf } from '../support/user-error.ts';

describe('the proxies of the environment', () => {
  it('are undefined if no variable is set, or all are empty', () => {
    expect(proxySettings({})).toBeUndefined();
    expect(proxySettings({ HTTP_PROXY: '', https_proxy: ' ' })).toBeUndefined();
    expect(proxySettings({ NO_PROXY: 'example.com' })).toBeUndefined();
  });

  it('are read from uppercase and lowercase names', () => {
    const settings = {
      httpProxy: 'http://one.example.com:3128',
      httpsProxy: 'http://two.example.com:3128',
      noProxy: 'localhost,.example.com',
    };
    const { httpProxy, httpsProxy, noProxy } = settings;
    expect(proxySettings({ HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy })).toEqual(settings);
    expect(proxySettings({ http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy })).toEqual(settings);
  });

  it('are those of the lowercase names if both are set', () => {
    const environment = { HTTPS_PROXY: 'http://upper.example.com', https_proxy: 'http://lower.example.com' };
    expect(proxySettings(environment)?.httpsProxy).toBe('http://lower.example.com');
  });

  it('are those of the uppercase names if the lowercase ones are empty', () => {
    const environment = { HTTPS_PROXY: 'http://upper.example.com', https_proxy: '' };
    expect(proxySettings(environment)?.httpsProxy).toBe('http://upper.example.com');
  });

  it('may be named without a protocol', () => {
    expect(proxySettings({ HTTPS_PROXY: 'proxy.example.com:3128' })?.httpsProxy).toBe('http://proxy.example.com:3128');
  });

  it.each(['socks5://u:hunter2@proxy:1080', 'http://', 'http://u:hunter2@[', 'ftp://proxy', 'http://u:%hunter2@proxy'])(
    'are rejected if one is %s; the value is not repeated, because it may contain a password',
    async (value) => {
      const mistake = await userErrorOf(() => proxySettings({ HTTPS_PROXY: value }));
      expect(mistake.message).toContain('HTTPS_PROXY');
      expect(mistake.remedy).toContain('HTTPS_PROXY');
      expect(`${mistake.message} ${mistake.remedy} ${mistake.stack ?? ''}`).not.toContain('hunter2');
    },
  );
});
