import { listAt, textAt } from '../../src/runtime/untrusted-data.ts';
import { runAction } from '../run-action.ts';
import type { Browser } from './playwright.ts';
import { createSend } from './sample-client.ts';
import type { SampleService } from './sample-service.ts';

/** Looks like a job summary at GitHub. */
const style = `body { margin: 24px; font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; color: #1f2328 }
  h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: 6px } a { color: #0969da }
  table { border-collapse: collapse } th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left }
  code { background: #818b981f; border-radius: 6px; padding: 2px 6px; font-size: 85% }`;

/**
 * Runs `assert-trail` for a trail that is not compliant, and takes a picture of the job summary.
 *
 * @returns the name of the trail
 */
export async function takeSummaryPicture(browser: Browser, service: SampleService, path: string): Promise<string> {
  const { org, key } = service;
  const baseUrl = `${service.url}/api/v2`;
  const answer = await createSend({ baseUrl, org, key })('GET', `/trails/${org}?flow=web`, undefined);
  const red = listAt(answer, 'data').find((trail) => textAt(trail, 'compliance_state') === 'NON-COMPLIANT');
  const trail = textAt(red, 'name');
  if (trail === undefined) throw new Error('no trail of the samples is non-compliant');
  const { summary } = await runAction({
    inputs: { operation: 'assert-trail', 'base-url': baseUrl, 'api-token': key, org, flow: 'web', trail },
    environment: { GITHUB_EVENT_NAME: 'push', GITHUB_REPOSITORY: 'acme/web' },
  });
  const context = await browser.newContext({ viewport: { width: 760, height: 200 } });
  const page = await context.newPage();
  const html = `<!doctype html><meta charset="utf-8"><style>${style}</style>${summary}`;
  await page.goto(`data:text/html,${encodeURIComponent(html)}`);
  await page.screenshot({ path, fullPage: true });
  return trail;
}
