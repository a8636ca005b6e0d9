import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sessionSeconds } from '../../../src/service/session/session.ts';
import { createKey, revokeKey } from '../../support/administration.ts';
import { rawExchange, rawRequest } from '../../support/raw-exchange.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { accepted } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';

/** What a browser sends with a form of a page of the service. */
const own = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };

describe('signing in', () => {
  let service: TestService;
  let seconds = 1_790_000_000;
  beforeAll(async () => {
    service = await startTestService({ sources: { now: () => seconds * 1000 } });
    await saveFlow(service);
  });
  afterAll(async () => {
    await service.stop();
    expect(service.errors).toEqual([]);
  });

  const get = (
    path: string,
    cookie = '',
    headers: Record<string, string> = { accept: 'text/html' },
  ): Promise<Response> => fetch(service.url + path, { redirect: 'manual', headers: { ...headers, cookie } });
  const post = (
    path: string,
    fields: Record<string, string>,
    { cookie = '', headers = own }: { readonly cookie?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<Response> =>
    fetch(service.url + path, {
      ...{ method: 'POST', redirect: 'manual', headers: { ...headers, cookie }, body: new URLSearchParams(fields) },
    });
  const signIn = async (key = service.apiKey): Promise<string> => {
    const response = await post('/-/sign-in', { key, next: '/acme' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/acme']);
    return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  };
  const formToken = async (cookie: string): Promise<string> =>
    /name="token" value="([\w-]+)"/.exec(await (await get('/acme', cookie)).text())?.[1] ?? '';

  it('is asked of browsers, which come back to where they wanted to go; other clients get an error', async () => {
    const asked = await get('/acme/flows/web?name=a');
    expect(asked.status).toBe(303);
    expect(asked.headers.get('location')).toBe('/-/sign-in?next=%2Facme%2Fflows%2Fweb%3Fname%3Da');
    const form = await (await get(asked.headers.get('location') ?? '')).text();
    expect(form).toContain('name="next" value="/acme/flows/web?name=a"');
    const back = await post('/-/sign-in', { key: service.apiKey, next: '/acme/flows/web?name=a#evidence-unit' });
    expect(back.headers.get('location')).toBe('/acme/flows/web?name=a#evidence-unit');
    const other = await get('/acme/flows/web', '', { accept: '*/*' });
    expect([other.status, other.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
  });

  it('keeps the navigation at an address without a page; other clients and methods get JSON', async () => {
    const path = '/acme/no/such/page';
    const pages = await Promise.all([get(path, await signIn()), get(path)]);
    expect(pages.map(({ status }) => status)).toEqual([404, 404]);
    const [signedIn, signedOut] = await Promise.all(pages.map((page) => page.text()));
    expect(signedIn).toContain('<a href="/acme/flows"');
    expect(signedOut).not.toContain('<a href="/acme/flows"');
    expect(signedOut).toContain(`There is nothing at GET ${path}`);
    const others = [await get(path, '', { accept: '*/*' }), await post(path, {})];
    for (const other of others) expect(await other.json()).toEqual({ message: expect.stringContaining(path) });
  });

  it('gives a session that reads what the key may read, in a cookie that scripts and other sites do not get', async () => {
    const response = await post('/-/sign-in', { key: ` ${service.apiKey} `, next: 'https://example.com' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    const [cookie, ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${sessionSeconds}`]);
    expect(cookie).not.toContain(service.apiKey.split('_')[1]);
    expect((await get('/acme/flows/web', cookie)).status).toBe(200);
    const reader = await signIn(await service.createKey('reader'));
    const revoked = await service.createKey('member');
    await signIn(revoked);
    await accepted(revokeKey(service, 'member-of-acme', revoked));
    const administration = await (await get('/acme/administration', cookie)).text();
    const sessions = /aria-label="Sessions of browsers"[^]*?<\/table>/.exec(administration)?.[0] ?? '';
    expect(sessions.match(/>reader-of-acme</gu)).toHaveLength(1);
    expect(sessions).not.toContain('member-of-acme');
    expect(sessions).toMatch(/<th scope="row">admin<\/th>[^]*just now[^]*in 12 hours/);
    expect(administration).not.toContain(cookie?.split('=')[1]);
    expect((await get(`/api/v2/flows/${service.org}`, cookie)).status).toBe(401);
    const other = await service.createOrganization('elsewhere');
    expect((await get('/acme', await signIn(other))).status).toBe(403);
    const refused = await get('/acme/administration', reader);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(await (await get('/acme', reader)).text()).not.toContain('Administration');
  });

  it('sets a cookie for TLS alone behind a proxy with TLS', async () => {
    const response = await post(
      '/-/sign-in',
      { key: service.apiKey },
      { headers: { ...own, 'x-forwarded-proto': 'https' } },
    );
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Host-compliance-session=[\w-]{43}; Path=\/; HttpOnly; .*; Secure$/);
    expect((await get('/acme', cookie.split(';', 1)[0])).status).toBe(200);
  });

  it('takes only the cookie for TLS behind a proxy with TLS, because others on the domain can set the plain one', async () => {
    const cookie = await signIn();
    const behindTls = { accept: 'text/html', 'x-forwarded-proto': 'https' };
    expect((await get('/acme', cookie, behindTls)).status).toBe(303);
    expect((await get('/acme', `__Host-${cookie}`, behindTls)).status).toBe(200);
    expect((await get('/acme', cookie)).status).toBe(200);
  });

  it.each([
    ['nonsense', 'This is not an API key of this service.'],
    ['', 'This is not an API key of this service.'],
    [`first0key_${'x'.repeat(43)}`, 'This is not an API key of this service.'],
    ['two words', 'This is not an API key of this service.'],
  ])('with %j says what is wrong, and asks again', async (key, words) => {
    const response = await post('/-/sign-in', { key, next: '/acme' });
    const text = await response.text();
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, null]);
    expect(text).toContain(words);
    expect(text).toContain('name="next" value="/acme"');
    expect(text).not.toContain('x'.repeat(43));
  });

  it('ends after 12 hours, when signing out, and with the key', async () => {
    const cookie = await signIn();
    const token = await formToken(cookie);
    expect((await post('/-/sign-out', { token }, { cookie })).headers.get('set-cookie')).toMatch(
      /^compliance-session=; .*Max-Age=0/,
    );
    expect((await get('/acme', cookie)).status).toBe(303);
    // A second click, or another tab: after signing in, there is no page at the address of the form.
    const again = await post('/-/sign-out', { token }, { cookie });
    expect(again.headers.get('location')).toBe('/-/sign-in');
    const key = await createKey(service, { owner: 'eve' });
    const second = await signIn(key);
    expect((await get('/acme', second)).status).toBe(200);
    await revokeKey(service, 'eve', key);
    expect((await get('/acme', second)).status).toBe(303);
    expect(await (await post('/-/sign-in', { key })).text()).toContain('revoked');
    const third = await signIn();
    seconds += sessionSeconds;
    expect((await get('/acme', third)).status).toBe(303);
  });

  it('can be ended for all browsers of a key', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const page = await (await get('/-/sessions', one)).text();
    expect(page).toContain('This browser');
    expect((await post('/-/sessions', { token: await formToken(one) }, { cookie: one })).status).toBe(303);
    for (const cookie of [one, other]) expect((await get('/acme', cookie)).status).toBe(303);
  });

  it('takes no form from another site, or without the text of the session', async () => {
    const cookie = await signIn();
    const token = await formToken(cookie);
    for (const headers of [
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, 'sec-fetch-site': 'same-site' },
      { accept: 'text/html', origin: 'https://example.com' },
      { accept: 'text/html', origin: 'null' },
      { accept: 'text/html' },
    ]) {
      expect((await post('/-/sign-in', { key: service.apiKey }, { headers })).status).toBe(403);
      expect((await post('/-/sign-out', { token }, { cookie, headers })).status).toBe(403);
    }
    expect((await post('/-/sign-out', { token: 'x'.repeat(43) }, { cookie })).status).toBe(403);
    expect((await post('/-/sign-out', {}, { cookie })).status).toBe(403);
    expect((await get('/acme', cookie)).status).toBe(200);
    const origin = { accept: 'text/html', origin: service.url };
    expect((await post('/-/sign-out', { token }, { cookie, headers: origin })).status).toBe(303);
  });

  it('takes no other content, and no large form', async () => {
    const send = (type: string, body: string): Promise<Response> =>
      fetch(`${service.url}/-/sign-in`, { method: 'POST', headers: { ...own, 'content-type': type }, body });
    expect((await send('application/json', '{}')).status).toBe(415);
    const large = await send('application/x-www-form-urlencoded', 'key='.padEnd(20_000, 'x'));
    expect([large.status, large.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
    expect(await large.text()).toContain('The request is too large');
  });

  it('is no defect of the service if the browser leaves in the middle of the form', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };
    const form = rawRequest('POST /-/sign-in', { ...headers, 'content-length': '100' }, 'key=');
    expect((await rawExchange(service.url, form, { end: true })).status).toBe(400);
  });

  it('is not needed for the stylesheet and the icon, which can be kept for ever', async () => {
    const page = await (await get('/-/sign-in')).text();
    for (const [, path = ''] of page.matchAll(/href="(\/-\/[^"]+\.(?:css|svg))"/g)) {
      const response = await get(path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(page).toContain('.css"');
  });
});
