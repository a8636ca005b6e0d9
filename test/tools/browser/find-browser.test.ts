import { expect, it } from '@jest/globals';
import { browserVariable, findBrowser, noBrowser } from '../../../tools/browser/find-browser.ts';

it('the browser that the variable names is used, and must exist', () => {
  expect(findBrowser({ [browserVariable]: process.execPath })).toBe(process.execPath);
  expect(() => findBrowser({ [browserVariable]: '/no/such/browser' })).toThrow(/COMPLIANCE_TEST_BROWSER names \/no/);
  expect(noBrowser).toContain(browserVariable);
});
