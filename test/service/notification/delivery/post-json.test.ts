import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryError, postJson } from '../../../../src/service/notification/delivery/post-json.ts';
import type { ResolvedAddress, Web } from '../../../../src/service/platform/network/permitted-address.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.ts';

const loopback = { address: '127.0.0.1', family: 4 };

describe('a document that is posted', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    await receiver.stop();
  });

  const web = (change: Partial<Web> = {}): Web => ({
    resolve: () => Promise.resolve([loopback]),
    allowPrivate: true,
    ...change,
  });
  const post = (target: string, of: Web = web(), signal = new AbortController().signal): Promise<void> =>
    postJson(of, target, '{"text":"ü"}', { headers: { 'delivery-id': '7' }, signal });

  it('arrives as JSON, with its headers', async () => {
    await post(`${receiver.url}?a=b`);
    const [call] = receiver.calls;
    expect(call).toMatchObject({
      method: 'POST',
      url: '/services/secret?a=b',
      body: '{"text":"ü"}',
      headers: { 'content-type': 'application/json; charset=utf-8', 'delivery-id': '7' },
    });
  });

  it('goes to the address that was checked, with the original host name', async () => {
    let asked = 0;
    const resolve = (name: string): Promise<readonly ResolvedAddress[]> => {
      expect(name).toBe('hooks.example.com');
      // A name that resolves differently the second time: another look-up would connect elsewhere.
      return Promise.resolve([(asked += 1) === 1 ? loopback : { address: '127.0.0.2', family: 4 }]);
    };
    await post(`http://hooks.example.com:${receiver.port}/x`, web({ resolve }));
    expect(asked).toBe(1);
    expect(receiver.calls[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`);
  });

  it.each([201, 202, 204, 299])('was accepted if the status is %d', async (status) => {
    receiver.answerWith({ status });
    await expect(post(receiver.url)).resolves.toBeUndefined();
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('was rejected if the status is %d', async (status) => {
    receiver.answerWith({ status });
    await expect(post(receiver.url)).rejects.toThrow(`it answered ${status}`);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with status %d', async (status) => {
    receiver.answerWith({ status, headers: { location: `http://127.0.0.1:${receiver.port}/elsewhere` } });
    await expect(post(receiver.url)).rejects.toThrow(`it answered ${status}`);
    expect(receiver.calls).toHaveLength(1);
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://10.0.0.1/',
  ])('does not go to %s unless that is allowed', async (target) => {
    const refused = post(target.replace('PORT', String(receiver.port)), web({ allowPrivate: false }));
    await expect(refused).rejects.toBeInstanceOf(DeliveryError);
    await expect(refused).rejects.toThrow(/not on the public internet; start the service with --allow-private/u);
    expect(receiver.calls).toEqual([]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://168.63.129.16/',
    'http://[::ffff:a83f:8110]/',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
  ])('does not go to %s, even if private addresses are allowed', async (target) => {
    const refused = post(target);
    await expect(refused).rejects.toBeInstanceOf(DeliveryError);
    await expect(refused).rejects.toThrow('where cloud providers keep the credentials of their machines');
  });

  it.each<[string, readonly ResolvedAddress[]]>([
    ['a private address', [loopback]],
    ['a private address among others', [{ address: '8.8.8.8', family: 4 }, loopback]],
    ['a private IPv6 address', [{ address: 'fd00::1', family: 6 }]],
  ])('does not go to a name that resolves to %s', async (_case, addresses) => {
    const resolve = (): Promise<readonly ResolvedAddress[]> => Promise.resolve(addresses);
    const refused = post(`http://hooks.example.com:${receiver.port}/`, web({ resolve, allowPrivate: false }));
    await expect(refused).rejects.toThrow(/hooks\.example\.com has the address .* not on the public internet/u);
    expect(receiver.calls).toEqual([]);
  });

  it('says that a name has no address', async () => {
    const none = web({ resolve: () => Promise.resolve([]) });
    await expect(post('http://hooks.example.com/', none)).rejects.toThrow('hooks.example.com has no address');
    const unknown = web({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(post('http://hooks.example.com/', unknown)).rejects.toThrow('hooks.example.com cannot be resolved');
  });

  it('says that there is no response, without the path, which is secret', async () => {
    const { url } = receiver;
    await receiver.stop();
    const failed = post(url);
    await expect(failed).rejects.toThrow(/^no answer: .*ECONNREFUSED/u);
    await expect(failed).rejects.not.toThrow('secret');
    receiver = await startWebhookReceiver();
  });

  it('ends when it is aborted', async () => {
    receiver.answerWith('never');
    const caller = new AbortController();
    const posted = post(receiver.url, web(), caller.signal);
    await receiver.next();
    caller.abort();
    await expect(posted).rejects.toBeInstanceOf(DeliveryError);
  });
});
