import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, noBrowser } from './find-browser.ts';
import { launchBrowser } from './playwright.ts';
import { startSampleService } from './sample-service.ts';
import { takeSummaryPicture } from './summary-picture.ts';

// `npm run screenshots`: creates the pictures of README.md and docs/pages.md, from a service with samples.

/** Where the pictures are written. */
const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');

/** The pictures: their name, page, theme and size. */
const pictures = [
  ['overview', '/acme', 'light', { width: 1140, height: 660 }],
  ['flow', '/acme/flows/web', 'light', { width: 1240, height: 640 }],
  ['environment', '/acme/environments/production', 'dark', { width: 1140, height: 660 }],
] as const;

/** The time that the pictures show: relative times must be the same in each. In Unix seconds. */
const now = 1_790_000_000;

if (findBrowser() === undefined) {
  console.error(`No pictures were made. ${noBrowser}`);
  process.exitCode = 1;
} else {
  await makePictures();
}

async function makePictures(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const service = await startSampleService(now, 'few');
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${service.url}/-/sign-in`);
    await page.getByLabel('API key').fill(service.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const trail = await takeSummaryPicture(browser, service, join(folder, 'summary.png'));
    const red = ['trail', `/acme/flows/web/trails/${trail}`, 'light', { width: 1140, height: 660 }] as const;
    for (const [name, path, colorScheme, size] of [...pictures, red]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.goto(service.url + path);
      await page.screenshot({ path: join(folder, `${name}.png`) });
      console.log(join('docs', 'images', `${name}.png`));
    }
  } finally {
    await browser.close();
    await service.stop();
  }
}
