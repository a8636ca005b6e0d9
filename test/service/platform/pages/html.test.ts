import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { html, link } from '../../../../src/service/platform/pages/html.ts';

describe('html', () => {
  it('escapes every text, once', () => {
    expect(html`<p title="${'"\'&<>'}">${'&lt;'}</p>`.text).toBe('<p title="&quot;&#39;&amp;&lt;&gt;">&amp;lt;</p>');
  });

  it('lets no markup through', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(html`${text}`.text).not.toMatch(/[<>"']/);
      }),
    );
  });

  it('shows characters that reorder what is around them, and control characters, as U+FFFD', () => {
    const reordering = ['\u202A', '\u202B', '\u202C', '\u202D', '\u202E', '\u2066', '\u2067', '\u2068', '\u2069'];
    for (const character of [...reordering, '\0', '\u001B'])
      expect(html`<a title="${`a${character}b`}">${`a${character}b`}</a>`.text).toBe(
        '<a title="a\uFFFDb">a\uFFFDb</a>',
      );
  });

  it('keeps HTML, lists of it and numbers, and renders nothing for undefined', () => {
    expect(html`${html`<b>${1}</b>`}${[html`<i></i>`, html`<u></u>`]}${undefined}`.text).toBe('<b>1</b><i></i><u></u>');
  });
});

describe('a link', () => {
  it('leads to http(s) URLs', () => {
    expect(link('https://example.com/?a=1&b="', 'words').text).toBe(
      '<a href="https://example.com/?a=1&amp;b=&quot;" rel="noreferrer">words</a>',
    );
    expect(link('https://example.com/', html`<b>words</b>`).text).toBe(
      '<a href="https://example.com/" rel="noreferrer"><b>words</b></a>',
    );
  });

  it.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//example.com',
    'words',
    '',
    undefined,
    null,
  ])('leads nowhere from %j', (address) => {
    expect(link(address, 'words').text).toBe('words');
  });
});
