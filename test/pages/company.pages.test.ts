import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { companyFlow, findLatestChange } from '../../tools/browser/company-data.ts';
import { type BrowserPage, readAxe } from '../../tools/browser/playwright.ts';
import { checkPage, hasBrowser, type PageWalk, startPageWalk } from './page-walk.ts';

/** What a team lead or an auditor asks, and how the pages answer it, from the overview on. */
interface Question {
  readonly question: string;
  /** What is typed into the search, which Enter starts. */
  readonly search?: string;
  /** The links and buttons that are clicked, by their name; at most two. */
  readonly clicks?: readonly (string | RegExp)[];
  /** What is filled in before the last click, by the label. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The folded part that is opened by another click. */
  readonly opened?: string;
  /** What the page says then; undefined if the last click downloads the answer. */
  readonly answer?: RegExp;
}

const change = findLatestChange(true);

const questions: readonly Question[] = [
  {
    question: 'What is red, since when, and why?',
    answer: /Environment production-us \(began .* ago\): [\w.-]+ of .*\(policy strict/,
  },
  {
    question: 'Which rule is broken by what in production?',
    clicks: ['production-us'],
    answer: /Why it is not compliant\s.*[\w.-]+ of registry\.example\.com\/acme\/[\w-]+\s.*policy strict/s,
  },
  {
    question: 'What is wrong with this commit?',
    search: change.sha1,
    clicks: [change.sha1],
    answer: /Not compliant\s.*(?:failed|at least|is required|none)/s,
  },
  {
    question: 'Who approved this change?',
    search: change.pullRequest,
    clicks: [change.sha1],
    answer: /MERGED, approved by grace/,
  },
  {
    question: 'Which trails belong to this pull request?',
    search: change.pullRequest,
    answer: new RegExp(`Trails\\s.*${change.sha1}`, 's'),
  },
  {
    question: 'Where does this artifact run, and where did it run?',
    search: findLatestChange().fingerprint.slice(0, 12),
    clicks: [/registry\.example\.com\/acme\/shop-web/],
    answer: /staging/,
  },
  {
    question: 'What ran in production on a day?',
    clicks: ['production-eu', 'Show'],
    fields: { 'What ran at the end of a day (UTC)': '2026-08-20' },
    answer: /registry\.example\.com\/acme\/[\w-]+\s.*Compliant/s,
  },
  {
    question: 'What changed in the policy, and who changed it?',
    clicks: ['Policies', 'production-rules'],
    answer: /Version 2\s+tests are required, too\s+grace\s/,
  },
  {
    question: 'Which requirement fails most in three months?',
    clicks: ['90 days'],
    answer: /unit-tests\t✕ Fails\t[\w-]+\t\d+ trails/,
  },
  {
    question: 'How much complies, and is it more than before?',
    answer: /Compliant in 30 days\s.*shop-web\s.*\d+ %\s.*points/s,
  },
  {
    question: 'How fast do we deliver?',
    clicks: [companyFlow],
    opened: 'Lead times',
    answer: /production-eu\s.*(?:hour|day)/s,
  },
  { question: 'Can I have all evidence as a file?', clicks: [companyFlow, /Download/] },
];

/** A page of each kind. */
const kinds: readonly string[] = [
  '/acme',
  '/acme/flows',
  `/acme/flows/${companyFlow}`,
  `/acme/flows/${companyFlow}/trails/${change.sha1}`,
  `/acme/flows/${companyFlow}/artifacts/${change.fingerprint}`,
  '/acme/environments',
  '/acme/environments/production-us',
  '/acme/environments/production',
  '/acme/environments/production-us/snapshots/40',
  '/acme/compare?first=production-eu&second=production-us',
  '/acme/policies',
  '/acme/policies/production-rules?from=1&to=3',
  '/acme/search?q=basket',
  '/acme/administration',
  '/acme/administration/audit-log',
];

(hasBrowser ? describe : describe.skip)('the pages of a company', () => {
  let walk: PageWalk;
  beforeAll(async () => {
    walk = await startPageWalk('company');
  });
  afterAll(async () => {
    expect(walk.service.errors).toEqual([]);
    await walk.stop();
  });

  const answer = async (page: BrowserPage, asked: Question): Promise<void> => {
    const { search, clicks = [], fields = {}, opened } = asked;
    await page.goto(`${walk.service.url}/acme`);
    if (search !== undefined) {
      await page.getByLabel('Search for a fingerprint, a commit or a name').fill(search);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/search/u);
    }
    for (const [index, name] of clicks.entries()) {
      if (index === clicks.length - 1)
        for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
      const exact = { name, exact: typeof name === 'string' };
      const link = page.getByRole('link', exact).or(page.getByRole('button', exact)).first();
      if (asked.answer !== undefined || index < clicks.length - 1) await link.click();
      else expect(await link.count()).toBe(1);
    }
    if (opened !== undefined) await page.locator(`summary:has-text("${opened}")`).first().click();
  };

  it.each(questions)('answer: $question', async (asked) => {
    expect((asked.clicks ?? []).length + (asked.opened === undefined ? 0 : 1)).toBeLessThanOrEqual(2);
    const page = await walk.open();
    await answer(page, asked);
    if (asked.answer !== undefined) expect(await page.innerText('main')).toMatch(asked.answer);
  });

  it('have no violation of accessibility, fit a phone, and have a short header there', async () => {
    const script = `(() => { ${readAxe()}; ${checkPage} })()`;
    const page = await walk.open();
    const found: string[] = [];
    for (const path of kinds) {
      const response = await page.goto(walk.service.url + path);
      expect([path, response?.status()]).toEqual([path, 200]);
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [390, 1280]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          const problems = await page.evaluate(script);
          const list = Array.isArray(problems) ? problems.map(String) : ['the page was not checked'];
          found.push(...list.map((problem) => `${path}, ${colorScheme}, ${width}: ${problem}`));
          const header = Number(await page.evaluate('document.querySelector("header").offsetHeight'));
          if (header > 100) found.push(`${path}, ${width}: the header has ${header} pixels`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  it('list trails in a line each, whatever their names and scripts', async () => {
    const page = await walk.open({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${walk.service.url}/acme/flows/${companyFlow}`);
    const rows = '[...document.querySelectorAll(".commits tbody tr")].map((row) => row.getBoundingClientRect().height)';
    expect(await page.evaluate(rows)).toHaveLength(25);
    expect(await page.evaluate(`Math.max(...${rows})`)).toBeLessThanOrEqual(48);
  });
});
