import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { printable } from '../../../src/runtime/printable.ts';
import { escapeHtmlLine, printableJson, safeHref } from '../../../src/step/report/escape.ts';
import { codePoint } from '../../support/code-point.ts';

describe('escapeHtmlLine', () => {
  it('escapes every character with a meaning in HTML text or attributes', () => {
    expect(escapeHtmlLine(`<a href="x" title='y'>&amp;</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
    );
  });

  it('lets no text change the writing direction', () => {
    expect(escapeHtmlLine('a\u202Eb\u2066c')).toBe('a\uFFFDb\uFFFDc');
  });

  it('keeps everything on one line, for every kind of line break', () => {
    expect(escapeHtmlLine('a\nb\r\nc\rd\n\ne')).toBe('a<br>b<br>c<br>d<br><br>e');
  });

  it('is reversible: a browser shows the original text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(readBack(escapeHtmlLine(text))).toBe(printable(text).replaceAll(/\r\n|\r/gu, '\n'));
      }),
    );
  });
});

function readBack(html: string): string {
  expect(html.replaceAll('<br>', '')).not.toMatch(/[<>"'\r\n]/u);
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html
    .replaceAll('<br>', '\n')
    .replaceAll(/&([^;]*);/gu, (whole, name: string) => names[name] ?? `unknown entity ${whole}`);
}

describe('printableJson', () => {
  it('keeps the value, without characters that control a terminal', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.string({ unit: codePoint }), fc.constant('\u009B\u202E\u007F\0')),
        (value) => {
          const json = printableJson(JSON.stringify(value));
          expect(json).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
          expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });
});

describe('safeHref', () => {
  it.each([
    ['https://example.com/a?b=c&d=%20#e', 'https://example.com/a?b=c&d=%20#e'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/'],
    ['HTTPS://EXAMPLE.com/"<x>', 'https://example.com/%22%3Cx%3E'],
  ])('accepts %s', (href, safe) => {
    expect(safeHref(href)).toBe(safe);
  });

  it.each([
    undefined,
    '',
    'relative/page',
    '//example.com/x',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' \u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'https://ann:pass@example.com/',
    'https://github.com@example.com/',
    'https://',
  ])('rejects %p', (href) => {
    expect(safeHref(href)).toBeUndefined();
  });
});
