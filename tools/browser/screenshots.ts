import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { companyFlow, findLatestChange } from './company-data.ts';
import { findBrowser, noBrowser } from './find-browser.ts';
import { type Browser, type BrowserPage, launchBrowser } from './playwright.ts';
import { type SampleKind, type SampleService, startSampleService } from './sample-service.ts';
import { takeSummaryPicture } from './summary-picture.ts';

// `npm run screenshots`: creates the pictures of README.md and docs/pages.md, from services with samples.

/** Where the pictures are written. */
const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');

const failed = findLatestChange(true);

/** The pages, each of which is shown in both sizes and both themes. */
const pages = {
  overview: '/acme',
  flow: `/acme/flows/${companyFlow}`,
  trail: `/acme/flows/${companyFlow}/trails/${failed.sha1}`,
  environment: '/acme/environments/production-us',
  search: '/acme/search?q=basket',
};

const sizes = { wide: { width: 1280, height: 600 }, phone: { width: 390, height: 600 } };

/** The time that the pictures show: relative times must be the same in each. In Unix seconds. */
const now = 1_790_000_000;

if (findBrowser() === undefined) {
  console.error(`No pictures were made. ${noBrowser}`);
  process.exitCode = 1;
} else {
  await makePictures();
}

async function makePictures(): Promise<void> {
  mkdirSync(join(folder, 'pages'), { recursive: true });
  const browser = await launchBrowser();
  try {
    await withSamples(browser, 'few', async (service, page) => {
      const trail = await takeSummaryPicture(browser, service, join(folder, 'summary.png'));
      await page.setViewportSize({ width: 1140, height: 660 });
      await page.goto(`${service.url}/acme/flows/web/trails/${trail}`);
      await takePicture(page, 'trail.png');
    });
    await withSamples(browser, 'company', async (service, page) => {
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(service.url + path);
        for (const [sizeName, size] of Object.entries(sizes)) {
          await page.setViewportSize(size);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            await takePicture(page, join('pages', `${name}-${sizeName}-${colorScheme}.png`));
          }
        }
      }
    });
  } finally {
    await browser.close();
  }
}

async function withSamples(
  browser: Browser,
  samples: SampleKind,
  work: (service: SampleService, page: BrowserPage) => Promise<void>,
): Promise<void> {
  const service = await startSampleService(now, { samples, isHostile: false });
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${service.url}/-/sign-in`);
    await page.getByLabel('API key').fill(service.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await work(service, page);
  } finally {
    await service.stop();
  }
}

async function takePicture(page: BrowserPage, file: string): Promise<void> {
  await page.screenshot({ path: join(folder, file) });
  console.log(join('docs', 'images', file));
}
