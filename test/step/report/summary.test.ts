import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Report, Text } from '../../../src/operations/report.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import { renderSummary, toSummaryContent } from '../../../src/step/report/summary.ts';
import type { SummaryContent } from '../../../src/step/report/summary-html.ts';
import { decideFailure } from '../../../src/step/run/gate.ts';
import { codePoint } from '../../support/code-point.ts';

const room = 1024 * 1024;

const report: Report = {
  subject: 'Artifact web.tgz',
  facts: [
    { label: 'State', value: { text: 'COMPLIANT' } },
    { label: 'Commit', value: { text: 'abc', href: 'https://example.com/c/abc', code: true } },
  ],
  tables: [{ title: 'Evidence', columns: ['Name', 'State'], rows: [[{ text: 'sonar' }, { text: 'OK' }]] }],
};

const said: SummaryContent = {
  verdict: '✅ Compliant',
  conclusion: 'All is well.',
  report,
  runUrl: 'https://github.com/acme/web/actions/runs/1',
};

/** Created once, because creating it takes longer than a test with it. */
const hostileSummary = createHostileSummary();

describe('toSummaryContent', () => {
  it('includes the remedy of an error', () => {
    const decision = decideFailure(new ExternalError({ what: 'no answer', remedy: 'Try again.' }));
    expect(toSummaryContent({ decision, runUrl: undefined, summary: true })).toMatchObject({
      conclusion: 'no answer',
      remedy: 'Try again.',
    });
  });
});

describe('renderSummary', () => {
  it('shows as code what a sentence has between backticks', () => {
    const html = renderSummary({ ...said, conclusion: 'Set `a<b>`, not `c.', remedy: '`api-token` is wrong.' }, room);
    expect(html).toContain('<p>Set <code>a&lt;b&gt;</code>, not `c.</p>');
    expect(html).toContain('<b>What to do:</b> <code>api-token</code> is wrong.');
  });

  it('starts with the verdict, then reason, facts, tables and the link to the run', () => {
    expect(renderSummary({ ...said, href: 'https://example.com/web' }, room)).toBe(
      [
        '<h2>✅ Compliant: <a href="https://example.com/web">Artifact web.tgz</a></h2>',
        '<p>All is well.</p>',
        '<table><tr><th align="left">State</th><td>COMPLIANT</td></tr><tr><th align="left">Commit</th><td><a href="https://example.com/c/abc"><code>abc</code></a></td></tr></table>',
        '<h3>Evidence</h3>',
        '<table><tr><th align="left">Name</th><th align="left">State</th></tr><tr><td>sonar</td><td>OK</td></tr></table>',
        '<p><a href="https://github.com/acme/web/actions/runs/1">Workflow run</a></p>',
        '\n',
      ].join('\n'),
    );
  });

  it('says what to do about an error without a report', () => {
    const failed = { verdict: '⛔ Error', conclusion: 'No answer.', remedy: 'Try again.', runUrl: undefined };
    expect(renderSummary(failed, room)).toBe(
      '<h2>⛔ Error</h2>\n<p>No answer.</p>\n<p><b>What to do:</b> Try again.</p>\n\n',
    );
  });

  it('shows the reasons first, with links, then the evidence: the table, and what it omits', () => {
    const evidence = {
      table: { title: 'Evidence', columns: ['Artifact', 'sonar'], rows: [[{ text: 'web' }, { text: '❌ failed' }]] },
      notes: ['Compliant for every artifact: unit.'],
    };
    const failed = { state: 'failed', about: 'sonar', value: 'so <it> is', html_url: 'https://example.com/s' } as const;
    const scan = {
      state: 'missing',
      about: 'scan',
      value: 'not recorded',
      description: '2 high',
      rule: 'flow',
    } as const;
    const reasons = [failed, scan, ...Array.from({ length: 50 }, () => scan)];
    const copies = [{ label: 'web.tgz', text: 'a'.repeat(64) }];
    const html = renderSummary({ ...said, report: { ...report, reasons, evidence, copies } }, room);
    const line = '<li>⬜ scan: not recorded: 2 high (flow)</li>';
    expect(html).toContain(
      [
        '<p>All is well.</p>',
        `<ul><li>❌ <a href="https://example.com/s">sonar</a>: so &lt;it&gt; is</li>${line.repeat(9)}</ul>`,
        '<p>40 more are under Details. 2 more are in the <code>response-path</code> file.</p>',
        '<h3>Evidence</h3>',
        '<table><tr><th align="left">Artifact</th><th align="left">sonar</th></tr><tr><td>web</td><td>❌ failed</td></tr></table>',
        '<p>Compliant for every artifact: unit.</p>',
        '<details><summary>Details</summary>',
        `<ul>${line.repeat(40)}</ul>`,
        '<h3>Evidence</h3>',
      ].join('\n'),
    );
    expect(html).toContain(
      `<details><summary>Full fingerprints</summary><pre>${'a'.repeat(64)}  web.tgz</pre></details>`,
    );
  });

  it('omits the conclusion if the reasons say it', () => {
    const reasons = [{ state: 'failed', about: 'sonar', value: 'it failed' }] as const;
    const content = { ...said, isInReport: true };
    expect(renderSummary({ ...content, report: { ...report, reasons } }, room)).not.toContain('All is well.');
    expect(renderSummary({ ...content, report: { ...report, reasons: [] } }, room)).toContain('All is well.');
    expect(renderSummary({ ...said, report: { ...report, reasons } }, room)).toContain('All is well.');
  });

  it('omits the conclusion if the evidence says it, and the evidence is shown', () => {
    const row = [{ text: 'x'.repeat(100) }];
    const evidence = {
      table: { title: 'Evidence', columns: ['Artifact'], rows: Array.from({ length: 30 }, () => row) },
      notes: [],
    };
    const text = { ...said, isInReport: true, report: { ...report, evidence } };
    expect(renderSummary(text, room)).not.toContain('All is well.');
    expect(renderSummary(text, 1000)).toContain('<p>All is well.</p>');
  });

  it('cuts a long table and counts the other rows', () => {
    const rows = Array.from({ length: 1234 }, (_, index): Text[] => [{ text: `row ${index}` }]);
    const html = renderSummary(
      { ...said, report: { ...report, tables: [{ title: 'T', columns: ['A'], rows }] } },
      room,
    );
    expect(html).toContain('row 199<');
    expect(html).not.toContain('row 200<');
    expect(html).toContain('<p>1034 more rows are in the <code>response-path</code> file.</p>');
  });

  it('folds what a table has after ten rows, up to its limit', () => {
    const rows = Array.from({ length: 200 }, (): Text[] => [{ text: 'x' }]);
    const html = renderSummary(
      { ...said, report: { ...report, tables: [{ title: 'T', columns: ['A'], rows }] } },
      room,
    );
    expect(html).toContain('<p>190 more rows are under Details.</p>');
    expect(html).toContain('<details><summary>Details</summary>\n<h3>T, continued</h3>');
    expect(html).not.toContain('response-path');
  });

  it('omits tables that do not fit, and says where to find them', () => {
    const cell = { text: 'é'.repeat(40_000) };
    const rows = Array.from({ length: 100 }, (): Text[] => [cell]);
    const large = { ...said, report: { ...report, tables: [{ title: 'T', columns: ['A'], rows }] } };
    const html = renderSummary(large, room);
    expect(html).toContain('<h2>✅ Compliant: Artifact web.tgz</h2>');
    expect(html).not.toContain('<h3>T</h3>');
    expect(html).toContain(
      'The tables are too large to show here; see the log and the <code>response-path</code> file.',
    );
    expect(Buffer.byteLength(html)).toBeLessThan(room);
  });

  it('keeps the verdict even if the facts do not fit', () => {
    const html = renderSummary({ ...said, conclusion: 'x'.repeat(2 * room) }, room);
    expect(html).toContain('<h2>✅ Compliant');
    expect(html).toContain('see the log and the <code>response-path</code> file');
  });

  it('never exceeds the room, and is empty if there is none', () => {
    fc.assert(
      fc.property(hostileSummary, fc.integer({ min: -10, max: 2000 }), (text, small) => {
        expect(Buffer.byteLength(renderSummary(text, small))).toBeLessThanOrEqual(Math.max(0, small));
      }),
    );
  });

  it('processes no more text than fits, in every variant', () => {
    const large = '<'.repeat(1_000_000);
    const tables = [{ title: 'T', columns: ['A'], rows: Array.from({ length: 50 }, (): Text[] => [{ text: large }]) }];
    let worked = 0;
    const html = renderSummary({ ...said, conclusion: large, report: { ...report, tables } }, 65_536, (text) => {
      worked += text.length;
      return text;
    });
    expect(html).toContain('<h2>✅ Compliant');
    expect(worked).toBeLessThan(5 * 65_536);
  });

  it('contains no control characters', () => {
    fc.assert(
      fc.property(hostileSummary, (text) => {
        expect(renderSummary(text, Number.MAX_SAFE_INTEGER)).not.toMatch(
          /[[\p{Cc}\u202A-\u202E\u2066-\u2069]--[\t\n]]/v,
        );
      }),
    );
  });

  it('lets no text break the HTML: no tags, unsafe links, blank lines or missing cells', () => {
    fc.assert(
      fc.property(hostileSummary, (text) => {
        const html = renderSummary(text, Number.MAX_SAFE_INTEGER);
        const { tags, texts } = tokens(html);
        for (const tag of tags) expect(tag).toMatch(allowedTag);
        expect(texts.join('')).not.toMatch(/[<>"']/u);
        // CommonMark ends an HTML block at a line of only spaces and tabs.
        expect(html.replace(/\n\n$/u, '')).not.toMatch(/(?:^|\n|\r)[ \t]*(?:\n|\r|$)/u);
        const facts = text.report?.facts.length ?? 0;
        const { report: given } = text;
        const tables = given === undefined ? [] : [given.evidence?.table ?? [], ...(given.tables ?? [])].flat();
        const rows = tables.reduce((sum, table) => sum + table.rows.length + 1, 0);
        const cells = tables.reduce((sum, table) => sum + table.rows.length * table.columns.length, 0);
        const continued = tables.filter((table) => table.rows.length > 10).length;
        expect(tags.filter((tag) => tag === '<tr>')).toHaveLength(facts + rows + continued);
        expect(tags.filter((tag) => tag === '<td>')).toHaveLength(facts + cells);
        expect(tags.filter((tag) => tag.startsWith('<h'))).toHaveLength(1 + tables.length + continued);
      }),
    );
  });
});

const allowedTag =
  /^<(?:\/?(?:h2|h3|p|b|table|tr|td|code|ul|li|details|summary|pre)|\/(?:th|a)|th align="left"|br|a href="https?:\/\/[^"'<>\s]*")>$/u;

function tokens(html: string): { tags: readonly string[]; texts: readonly string[] } {
  const parts = html.split(/(<[^<>]*>)/u);
  return { tags: parts.filter((_, index) => index % 2 === 1), texts: parts.filter((_, index) => index % 2 === 0) };
}

function hostileText(): fc.Arbitrary<string> {
  const known = fc.constantFrom(
    '</td></tr></table><script>alert(1)</script>',
    '\n\n# Heading\n\n- [x](javascript:alert(1))',
    ' \n \n ',
    '" onmouseover="alert(1)',
    '| a | b |\n|---|---|',
    '<!-- ',
    '&lt;img src=x onerror=alert(1)&gt;',
    '\u2028\u2029\u0085\v\f\0',
  );
  return fc.oneof(known, fc.string({ unit: codePoint }), fc.string());
}

function hostileLink(): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    fc.constantFrom(undefined, 'javascript:alert(1)', 'https://example.com/"><script>', 'https://a/\n\nb', 'data:x,y'),
    fc.string().map((path) => `https://example.com/${path}`),
    fc.string(),
  );
}

function createHostileSummary(): fc.Arbitrary<SummaryContent> {
  const text = hostileText();
  const link = hostileLink();
  const cell: fc.Arbitrary<Text> = fc.record({ text, href: link, code: fc.boolean() });
  const table = fc.array(text, { minLength: 1, maxLength: 4 }).chain((columns) =>
    fc.record({
      title: text,
      columns: fc.constant(columns),
      rows: fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), { maxLength: 5 }),
    }),
  );
  const reported = fc.record({
    subject: text,
    facts: fc.array(fc.record({ label: text, value: cell }), { maxLength: 4 }),
    tables: fc.array(table, { maxLength: 3 }),
    evidence: fc.record({
      table,
      notes: fc.array(text, { maxLength: 2 }),
    }),
    reasons: fc.array(fc.record({ state: fc.constant('failed' as const), about: text, value: text, html_url: text }), {
      minLength: 1,
      maxLength: 3,
    }),
    copies: fc.array(fc.record({ label: text, text }), { minLength: 1, maxLength: 3 }),
  });
  return fc.record(
    { verdict: text, conclusion: text, remedy: text, report: reported, runUrl: link },
    { requiredKeys: ['verdict', 'conclusion', 'runUrl'] },
  );
}
