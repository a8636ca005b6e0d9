import { expect, it } from '@jest/globals';
import { browserVariable, findBrowser, noBrowser } from '../../../tools/browser/find-browser.ts';

it('the browser that the variable names is used, and must exist', () => {
  expect(findBrowser({ [browserVariable]: process.execPath })).toBe(process.execPath);
  expect(() => findBrowser({ [browserVariable]: '/no/such/browser' })).toThrow(/COMPLIANCE_TEST_BROWSER names \/no/);
});

it('without a browser, the reason and the remedy are true for all commands', () => {
  expect(noBrowser).toMatch(/^No Chromium was found\. Install one/u);
  expect(noBrowser).toContain(browserVariable);
});
