import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { commentBody, withoutMentions } from '../../../src/step/publish/comment-body.ts';
import type { CommitMatch } from '../../../src/step/publish/commit-match.ts';
import { redactResult } from '../../../src/step/report/redacted-result.ts';
import { collectSecrets } from '../../../src/step/report/secrets.ts';
import { decideResult } from '../../../src/step/run/gate.ts';
import { shas } from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';
import { formsOf } from '../../support/secret.ts';

const job = jobOf('pull_request', {});
const origin = { run: 17, attempt: 2, commit: shas.head };

function body(
  conclusion: string,
  rows: number,
  secrets: readonly string[] = [],
  commit: CommitMatch = { sha: shas.head, judged: 'yes' },
): string {
  const result: OperationResult = {
    outcome: 'non-compliant',
    conclusion,
    response: {},
    report: {
      subject: 'Artifact web.tgz',
      facts: [],
      tables: [
        { title: 'Evidence', columns: ['Name'], rows: Array.from({ length: rows }, () => [{ text: conclusion }]) },
      ],
    },
  };
  const stepResult = { decision: decideResult(result, 'fail'), result, runUrl: 'https://github.com/r', summary: true };
  const shown = redactResult(stepResult, collectSecrets(secrets).redact);
  return commentBody(shown, { marker: '<!-- compliance-action id=1 -->', origin, job, commit });
}

describe('commentBody', () => {
  it('starts with marker and origin, and contains verdict, table, commit and run', () => {
    const text = body('sonar failed', 1);
    expect(text.split('\n').slice(0, 4)).toEqual([
      '<!-- compliance-action id=1 -->',
      `<!-- compliance-action-run id=17 attempt=2 commit=${shas.head} -->`,
      '',
      '<h2>❌ Non-compliant: Artifact web.tgz</h2>',
    ]);
    expect(text).toContain('<tr><td>sonar failed</td></tr>');
    expect(text).toContain(`Judged commit: <a href="https://github.com/acme/widgets/commit/${shas.head}"><code>`);
    expect(text).toContain('<a href="https://github.com/r">Workflow run</a>');
  });

  it('never exceeds GitHub’s limit', () => {
    const text = fc.string({ unit: fc.constantFrom('@a', '<', '#1', 'x', '🚀', 's'), maxLength: 2000 });
    fc.assert(
      fc.property(text, fc.nat(200), (words, rows) => {
        expect(body(words, rows, ['s']).length).toBeLessThanOrEqual(65_536);
      }),
      { numRuns: 50 },
    );
  });

  it('omits rows first, then tables, then the end of the reason, but never the reason itself', () => {
    const reason = `sonar failed ${'x'.repeat(987)}`;
    expect(body(reason, 200)).toContain('<p>180 more rows are in the <code>response-path</code> file.</p>');
    expect(body(reason.padEnd(4000, 'x'), 200)).toContain('The tables are too large to show here');
    const long = body(reason.padEnd(100_000, 'x'), 1);
    expect(long).toContain('The report is too large');
    for (const text of [body(reason, 200), body(reason.padEnd(4000, 'x'), 200), long]) {
      expect(text).toContain('<p>sonar failed xxx');
    }
  });

  it('calls the commit judged only if it was', () => {
    const unknown = body('So it is.', 0, [], { sha: shas.head, judged: 'unknown' });
    expect(unknown).toContain('<p>Commit of this run: <a');
    expect(unknown).not.toContain('Judged commit');
    const other = body('So it is.', 0, [], { sha: shas.head, judged: { otherwise: [shas.base] } });
    expect(other).toContain('Not for this commit: the verdict is for commit cccccccccccc.');
    expect(other).not.toContain('Judged commit');
  });

  it('contains no secret in any encoding', () => {
    const secret = fc.oneof(
      fc.stringMatching(/^[!-)+-~]{12,40}$/u),
      fc.constantFrom('abc#1def#2ghi-@xyz-SECRET', 'ab"c<d>e&f-secret'),
    );
    fc.assert(
      fc.property(secret, (key) => {
        for (const form of formsOf(key)) {
          const text = body(`the key is ${form} here`, 1, [key]).replaceAll('\u200B', '');
          expect(text).toContain('the key is *** here');
          for (const leaked of formsOf(key)) expect(text).not.toContain(leaked);
        }
      }),
    );
  });

  it('does not change code and URLs, where GitHub makes no links', () => {
    const report = {
      subject: 'web',
      facts: [{ label: 'Image', value: { text: 'web@sha256:1 #2', code: true, href: 'https://e.com/@ann#1' } }],
    };
    const result: OperationResult = { outcome: 'done', conclusion: 'So it is.', response: {}, report };
    const stepResult = { decision: decideResult(result, 'fail'), result, runUrl: undefined, summary: true };
    expect(commentBody(stepResult, { marker: '<!-- -->', origin, job, commit: undefined })).toContain(
      '<a href="https://e.com/@ann#1"><code>web@sha256:1 #2</code></a>',
    );
  });

  it('notifies no one, and links to no other conversation', () => {
    const text = body('thanks @acme/owners, fixes #12 & see a@example.com', 0);
    expect(body('as in GH-12 and gh-7', 0)).toContain('as in GH-\u200B12 and gh-\u200B7');
    expect(body('https://github.com/a/b/issues/1 and /pull/2', 0)).toContain('/issues/\u200B1 and /pull/\u200B2');
    expect(text).toContain('thanks @\u200Bacme/owners, fixes #\u200B12 &amp; see a@example.com');
  });
});

describe('withoutMentions', () => {
  it('breaks what GitHub would turn into a link', () => {
    expect(withoutMentions('@ann (@bob) a@c #1 #x')).toBe('@\u200Bann (@\u200Bbob) a@c #\u200B1 #x');
  });
});
