import { describe, expect, it } from '@jest/globals';
import { renderProven } from '../../../src/service/login/proven-html.ts';

const proven = {
  ...{ issuer: 'https://issuer.example.com', subject: 'repo:acme/web', repository: 'acme/web', repository_id: '123' },
  ...{ run_id: '4711', run_attempt: '2', event_name: 'pull_request', ref: 'refs/pull/7/merge' },
};

/** The text, without its markup. */
const textOf = (change: Readonly<Record<string, unknown>> = {}): string =>
  renderProven({ ...proven, ...change })
    ?.text.replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim() ?? '';

describe('what the identity token proved', () => {
  it('is shown apart from what the step says of itself', () => {
    expect(textOf({ repository_visibility: 'private', merge_commit: 'c'.repeat(40), actor: 'ann' })).toBe(
      'Proven by the identity token The service has checked these facts about the sender. Everything else that was ' +
        'reported is what the step says of itself. Repository acme/web (number 123, private) Run 4711, attempt 2 ' +
        `Event pull_request Ref refs/pull/7/merge Merge commit, not the judged one ${'c'.repeat(40)} Started by ann ` +
        'Subject repo:acme/web Token issuer https://issuer.example.com',
    );
  });

  it('says if it is about the delivery of earlier evidence', () => {
    expect(textOf({ is_replay: true })).toContain('Only the repository is proven for it');
    expect(textOf()).not.toContain('earlier run');
  });

  it('is escaped and bounded', () => {
    const hostile = '<script>alert("x")</script>';
    const names = [
      ...Object.keys(proven),
      'workflow',
      'workflow_ref',
      'job_workflow_ref',
      'actor',
      'environment',
      'sha',
    ];
    const page = renderProven({ ...proven, ...Object.fromEntries(names.map((name) => [name, hostile])) })?.text ?? '';
    expect(page).not.toContain('<script');
    expect(page.split('&lt;script&gt;')).toHaveLength(names.length + 1);
    const long = Object.fromEntries(names.map((name) => [name, '"'.repeat(100_000)]));
    expect(renderProven({ ...proven, ...long })?.text.length).toBeLessThan(15_000);
  });

  it('is absent if nothing was proved', () => {
    expect(renderProven(undefined)).toBeUndefined();
  });
});
