import { findBrowser, noBrowser } from '../../tools/browser/find-browser.ts';
import { type Browser, type BrowserContext, type BrowserPage, launchBrowser } from '../../tools/browser/playwright.ts';
import { type SampleKind, type SampleService, startSampleService } from '../../tools/browser/sample-service.ts';

/** Whether there is a browser. If not, the command says so, and its tests are skipped. */
export const hasBrowser = findBrowser() !== undefined;
if (!hasBrowser) console.warn(`The pages are not tested. ${noBrowser}`);

/** The time of the samples' last record, in Unix seconds. */
const sampleEnd = 1_790_000_000;

/** Lists what is wrong with a page: the violations that axe finds, and content that is wider than the window. */
export const checkPage = `return axe.run().then(({ violations, passes }) => [
  ...violations.map(({ id, nodes }) => id + ': ' + nodes[0].html),
  ...(passes.length === 0 ? ['axe checked nothing'] : []),
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['it is too wide'] : []),
]);`;

/** A browser and a service with samples. */
export interface PageWalk {
  readonly service: SampleService;
  readonly browser: Browser;
  /** What pages wrote to the console, and scripts that failed. */
  readonly complaints: readonly string[];
  /** Opens a tab in a context of its own; signed in as the administrator unless told otherwise. */
  open(settings?: WalkSettings): Promise<BrowserPage>;
  stop(): Promise<void>;
}

/** How to open a tab. */
export interface WalkSettings {
  readonly isSignedIn?: boolean;
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Starts a browser and a service with samples. The caller must stop them. */
export async function startPageWalk(samples: SampleKind = 'few'): Promise<PageWalk> {
  const service = await startSampleService(sampleEnd, { samples });
  const browser = await launchBrowser();
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  const open = async ({ isSignedIn = true, ...settings }: WalkSettings = {}): Promise<BrowserPage> => {
    const context = await browser.newContext(settings);
    contexts.push(context);
    const page = await context.newPage();
    page.on('console', (message) => {
      // The browser's advice on forms for passwords. The key has no user name.
      if (message.type() !== 'verbose') complaints.push(`${page.url()}: ${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
    if (isSignedIn) {
      await page.goto(`${service.url}/-/sign-in`);
      await signIn(page, service.key);
    }
    return page;
  };
  const stop = async (): Promise<void> => {
    for (const context of contexts) await context.close();
    await browser.close();
    await service.stop();
  };
  return { service, browser, complaints, open, stop };
}

/** Fills in the form for signing in. */
export async function signIn(page: BrowserPage, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The addresses of all pages of the service that a page links to, by the path. */
export async function listLinks(page: BrowserPage): Promise<readonly string[]> {
  const found = await page.evaluate('[...document.links].map((link) => link.href)');
  const origin = new URL(page.url()).origin;
  if (!Array.isArray(found)) throw new TypeError('the page returned no list');
  return found
    .map((address) => new URL(String(address)))
    .filter((url) => url.origin === origin && url.hash === '')
    .map((url) => url.pathname + url.search);
}
