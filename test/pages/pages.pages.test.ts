import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { type BrowserPage, readAxe } from '../../tools/browser/playwright.ts';
import { hostileText } from '../../tools/browser/sample-data.ts';
import { sampleFingerprint } from '../../tools/browser/sample-evidence.ts';
import { checkPage, hasBrowser, listLinks, type PageWalk, signIn, startPageWalk } from './page-walk.ts';

/** The maximum size of a page with all that it loads, in bytes. */
const maximumBytes = 100_000;

/** The pages to begin with; all that they link to are checked, too. */
const firstPages = [
  '/',
  '/-/sessions',
  '/acme',
  '/acme/flows?name=nothing',
  '/acme/flows/web?state=INCOMPLETE&name=build',
  '/acme/flows/mobile',
  '/acme/compare?first=production%231&second=shop',
  '/acme/compare?first=nothing&second=production',
  '/acme/policies/production-rules?from=1&to=3',
  '/acme/search?q=build',
  `/acme/search?q=${sampleFingerprint('build-126').slice(0, 8)}`,
  '/acme/search?q=nothing',
  '/acme/administration',
];

/** A page of each kind, for the checks that take long. */
const kinds: readonly (readonly [kind: string, path: RegExp])[] = [
  ['a flow', /^\/acme\/flows\/web$/],
  ['a trail', /\/trails\/build-126$/],
  ['an artifact', /\/artifacts\//],
  ['an attestation', /\/attestations\/[^/]+$/],
  ['an environment', /^\/acme\/environments\/production$/],
  ['a snapshot', /\/snapshots\/\d+$/],
  ['a policy', /^\/acme\/policies\/[\w-]+$/],
];

(hasBrowser ? describe : describe.skip)('the pages in a browser', () => {
  let walk: PageWalk;
  beforeAll(async () => {
    walk = await startPageWalk();
  });
  afterAll(async () => {
    expect(walk.service.errors).toEqual([]);
    await walk.stop();
  });

  /** Finds all pages by following links, each with its address and the size of what it loads. */
  const crawl = async (page: BrowserPage): Promise<ReadonlyMap<string, number>> => {
    const sizes = new Map<string, number>();
    const waiting = [...firstPages];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (sizes.has(path) || /\/(?:attachment|statement|audit-package)(?:\?|$)|[?&]download=/u.test(path)) continue;
      const response = await page.goto(walk.service.url + path);
      const isExpectedFault = path.includes('first=nothing');
      expect([path, response?.status()]).toEqual([path, isExpectedFault ? 400 : 200]);
      sizes.set(path, (await response?.body())?.length ?? 0);
      waiting.push(...(await listLinks(page)));
    }
    return sizes;
  };

  /** The stylesheet and the icon of a page. */
  const listFiles = async (page: BrowserPage): Promise<readonly string[]> => {
    const found = await page.evaluate('[...document.querySelectorAll("link")].map((link) => link.href)');
    return Array.isArray(found) ? found.map(String) : [];
  };

  it('all have valid links, no complaint on the console, and less than 100 kB', async () => {
    const page = await walk.open();
    const sizes = await crawl(page);
    for (const [kind, path] of kinds)
      expect([kind, [...sizes.keys()].some((found) => path.test(found))]).toEqual([kind, true]);
    expect(sizes.size).toBeGreaterThan(80);
    const files = await Promise.all((await listFiles(page)).map(async (file) => (await fetch(file)).arrayBuffer()));
    const shared = files.reduce((sum, file) => sum + file.byteLength, 0);
    expect(files).toHaveLength(2);
    expect(Math.max(...sizes.values()) + shared).toBeLessThan(maximumBytes);
    // The browser reports pages with an error status, which are asked for on purpose.
    expect(walk.complaints.filter((line) => !/responded with a status of 40[014]/.test(line))).toEqual([]);
  });

  it('have no violation of accessibility in either theme, and fit a phone and a wide screen', async () => {
    const script = `(() => { ${readAxe()}; ${checkPage} })()`;
    const page = await walk.open();
    const found: string[] = [];
    const seen = new Set<string>();
    const attestations = (await crawlAttestations(page)).slice(0, 6);
    for (const path of [...firstPages, ...attestations, ...exampleOf]) {
      if (seen.has(path)) continue;
      seen.add(path);
      await page.goto(walk.service.url + path);
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const problems = await page.evaluate(script);
        const list = Array.isArray(problems) ? problems.map(String) : ['the page was not checked'];
        found.push(...list.map((problem) => `${path}, ${colorScheme}, ${width}: ${problem}`));
      }
    }
    expect(found).toEqual([]);
    expect(seen.size).toBeGreaterThan(20);
  });

  it('show whole fingerprints and commits on paper', async () => {
    const page = await walk.open();
    await page.goto(`${walk.service.url}/acme/flows/web/trails/build-126`);
    const read = (): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('code[title]')].map((hash) => [
        hash.textContent,
        Number.parseFloat(getComputedStyle(hash).fontSize) > 0,
        getComputedStyle(hash, '::after').content,
      ])`);
    const fingerprint = sampleFingerprint('build-126');
    expect(await read()).toContainEqual([fingerprint.slice(0, 12), true, 'none']);
    await page.emulateMedia({ media: 'print' });
    expect(await read()).toContainEqual([fingerprint.slice(0, 12), false, `"${fingerprint}"`]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    );
  });

  const exampleOf = [
    '/-/sign-in',
    '/acme/flows',
    '/acme/flows/web',
    '/acme/flows/web/trails/build-126',
    '/acme/flows/api/trails/hostile',
    `/acme/flows/web/artifacts/${sampleFingerprint('build-126')}`,
    '/acme/environments',
    '/acme/environments/production',
    '/acme/environments/production/snapshots/5',
    '/acme/policies',
    '/acme/policies/production-rules',
    '/acme/flows/nothing',
  ];

  const crawlAttestations = async (page: BrowserPage): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const trail of ['web/trails/build-126', 'api/trails/hostile', 'web/trails/build-125']) {
      await page.goto(`${walk.service.url}/acme/flows/${trail}`);
      found.push(...(await listLinks(page)).filter((path) => path.includes('/attestations/')));
    }
    return [...new Set(found)];
  };

  it("lead from a red step's link to the reason in at most two clicks, without scripts", async () => {
    const page = await walk.open({ isSignedIn: false, javaScriptEnabled: false });
    const { url, key } = walk.service;
    const response = await fetch(`${url}/api/v2/artifacts/acme/web/fingerprint/${sampleFingerprint('build-126')}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await page.goto(String(valueAt(await response.json(), 'html_url')));
    await signIn(page, key);
    expect(await page.innerText('.result')).toContain('new_coverage is');
    await page.getByRole('link', { name: 'sonar', exact: true }).first().click();
    const conditions = await page.innerText('table');
    expect(conditions).toMatch(/new_coverage.*71\.4.*at least 80/s);
    // Up, down and sideways: the trail, its flow, another trail.
    await page.getByRole('link', { name: 'web', exact: true }).first().click();
    await page.getByRole('link', { name: 'change number 125' }).first().click();
    expect(await page.innerText('h1')).toBe('Trail build-125');
    await page.getByLabel('Search for a fingerprint, a commit or a name').fill('production');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'production', exact: true }).first().click();
    expect(await page.innerText('.result')).toContain('does not meet 3 requirements');
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.title()).toContain('Sign in');
  });

  it("lead from a red gate's link through the sign-in to the failed row, with value and limit", async () => {
    const page = await walk.open({ isSignedIn: false });
    const path = '/acme/flows/web/trails/build-126#evidence-web.sonar';
    await page.goto(walk.service.url + path);
    await signIn(page, `${walk.service.key}x`);
    await signIn(page, walk.service.key);
    expect(page.url()).toBe(walk.service.url + path);
    expect(await page.innerText('tr:has(:target)')).toMatch(/new_coverage is 71\.4; at least 80/u);
  });

  it('copy a shortened hash, and lead to the search with the key /', async () => {
    const page = await walk.open();
    await page.goto(`${walk.service.url}/acme/flows/web/trails/build-126`);
    await page.evaluate('navigator.clipboard.writeText = async (text) => { document.title = text; }');
    const fingerprint = sampleFingerprint('build-126');
    await page
      .getByRole('button', { name: `Copy ${fingerprint}` })
      .first()
      .click();
    expect(await page.title()).toBe(fingerprint);
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name + document.activeElement.value')).toBe('q');
  });

  it('have a short header on a phone, and the state and the reason of each row first', async () => {
    const page = await walk.open({ viewport: { width: 390, height: 800 } });
    await page.goto(`${walk.service.url}/acme/flows/web/trails/build-126`);
    expect(await page.evaluate('document.querySelector("header").offsetHeight <= 100')).toBe(true);
    const shown = await page.evaluate(`[...document.querySelector('tbody tr').children]
      .toSorted((one, other) => one.offsetTop - other.offsetTop).map((cell) => cell.dataset.label)`);
    expect(shown).toEqual([undefined, 'State', 'Why', 'About', 'Required', 'Reported']);
  });

  it('keep the navigation and the search when a page is not found', async () => {
    const page = await walk.open();
    await page.goto(`${walk.service.url}/acme/flows/nothing`);
    await page.getByLabel('Search for a fingerprint, a commit or a name').fill('build-126');
    await page.getByRole('link', { name: 'Environments', exact: true }).first().click();
    expect(await page.innerText('h1')).toContain('Environments');
  });

  it('lead to the page that the public client prints', async () => {
    const page = await walk.open();
    for (const [path, title] of [
      ['/acme/environments/production/', 'Environment production'],
      ['/acme/environments/production/3', 'production, snapshot 3'],
      ['/acme/flows/web/trails/build-126?attestation_id=1', 'Trail build-126'],
    ] as const) {
      await page.goto(walk.service.url + path);
      expect(await page.innerText('h1')).toBe(title);
    }
  });

  it('show hostile names as text', async () => {
    const page = await walk.open();
    await page.goto(`${walk.service.url}/acme/flows/api/artifacts/${sampleFingerprint('hostile')}`);
    expect(await page.innerText('h1')).toBe(`Artifact ${hostileText}`);
    for (const path of [
      ...(await crawlAttestations(page)),
      '/acme/environments/preview',
      '/acme/flows/api/trails/hostile',
    ]) {
      await page.goto(walk.service.url + path);
      // The only script is that of the pages.
      expect(await page.evaluate('document.querySelectorAll("script").length')).toBe(1);
      expect(await page.evaluate('document.querySelectorAll("[onerror], a[href^=javascript]").length')).toBe(0);
      expect(await page.evaluate('document.querySelectorAll("img").length')).toBe(0);
    }
  });

  it('keep the key out of the history and of scripts', async () => {
    const page = await walk.open({ isSignedIn: false });
    await page.goto(`${walk.service.url}/acme/flows/web`);
    await signIn(page, walk.service.key);
    expect(page.url()).toBe(`${walk.service.url}/acme/flows/web`);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('location.href + document.referrer')).not.toContain(walk.service.key);
    const markup = await page.content();
    expect(markup).not.toContain(walk.service.key);
  });
});
