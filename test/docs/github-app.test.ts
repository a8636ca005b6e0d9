import { describe, expect, it } from '@jest/globals';
import { violations } from '../../src/contract/check.ts';
import { githubGateDocument } from '../../src/contract/github-gate.ts';
import { isMapping, listAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { fencesOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/github-app.md');
const manifest: unknown = JSON.parse(readText('docs/github-app-manifest.json'));

describe('the page about the GitHub App', () => {
  it('has a manifest with the permissions that it explains', () => {
    const permissions = valueAt(manifest, 'default_permissions');
    const names = Object.keys(isMapping(permissions) ? permissions : {}).map((name) => name.split('_')[0] ?? '');
    expect(names).toHaveLength(7);
    const table = page.slice(page.indexOf('### What the app may do'));
    for (const name of names) expect(table).toContain(name);
    expect(listAt(manifest, 'default_events')).toContain('deployment_protection_rule');
    expect(valueAt(manifest, 'hook_attributes', 'url')).toMatch(/\/-\/github\/webhooks$/u);
  });

  it('shows a valid gate', () => {
    const script = fencesOf(page).find(({ text }) => text.includes('/github-gates/'))?.text ?? '';
    const document = /--data '(.*)'/su.exec(script)?.[1] ?? '';
    expect(violations(githubGateDocument, JSON.parse(document))).toEqual([]);
  });

  it('shows a valid ruleset', () => {
    const script = fencesOf(page).find(({ text }) => text.includes('/rulesets'))?.text ?? '';
    const ruleset: unknown = JSON.parse(/<<END\n(.*)\nEND/su.exec(script)?.[1] ?? '');
    const [rule] = listAt(ruleset, 'rules');
    const [check] = listAt(rule, 'parameters', 'required_status_checks');
    expect(check).toEqual({ context: 'compliance-service/web', integration_id: 987654 });
  });
});
