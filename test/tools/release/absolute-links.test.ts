import { describe, expect, it } from '@jest/globals';
import { type PageOrigin, withAbsoluteLinks } from '../../../tools/release/absolute-links.ts';
import type { PathKind } from '../../../tools/release/git.ts';

const kinds = new Map<string, PathKind>([
  ['docs/a.md', 'file'],
  ['docs/a b.md', 'file'],
  ['docs/logo.svg', 'file'],
  ['examples', 'folder'],
  ['SECURITY.md', 'file'],
]);

function origin(changes: Partial<PageOrigin> = {}): PageOrigin {
  return {
    page: 'README.md',
    repositoryUrl: 'https://github.com/acme/action',
    commit: 'abc',
    kinds,
    isKept: (path) => path === 'LICENSE',
    isExcerpt: false,
    ...changes,
  };
}

const base = 'https://github.com/acme/action';

describe('withAbsoluteLinks', () => {
  it.each([
    ['a file', '[a](docs/a.md)', `[a](${base}/blob/abc/docs/a.md)`],
    ['a heading of a file', '[a](docs/a.md#b-c)', `[a](${base}/blob/abc/docs/a.md#b-c)`],
    ['a query', '[a](docs/a.md?plain=1#L1)', `[a](${base}/blob/abc/docs/a.md?plain=1#L1)`],
    ['a path with ./', '[a](./docs/../docs/a.md)', `[a](${base}/blob/abc/docs/a.md)`],
    ['a path from the top folder', '[a](/docs/a.md)', `[a](${base}/blob/abc/docs/a.md)`],
    ['a path with a space', '[a](docs/a%20b.md)', `[a](${base}/blob/abc/docs/a%20b.md)`],
    ['a folder', '[a](examples)', `[a](${base}/tree/abc/examples)`],
    ['a folder with a slash', '[a](examples/)', `[a](${base}/tree/abc/examples)`],
    ['code as the text', '[`a`](docs/a.md)', `[\`a\`](${base}/blob/abc/docs/a.md)`],
    ['a title', '[a](docs/a.md "A")', `[a](${base}/blob/abc/docs/a.md "A")`],
    ['a target in angle brackets', '[a](<docs/a.md>)', `[a](<${base}/blob/abc/docs/a.md>)`],
    ['a definition', '[a]: docs/a.md', `[a]: ${base}/blob/abc/docs/a.md`],
    ['an image', '![a](docs/logo.svg)', `![a](${base}/raw/abc/docs/logo.svg)`],
    ['an image in HTML', '<img alt="" src="docs/logo.svg">', `<img alt="" src="${base}/raw/abc/docs/logo.svg">`],
    ['a link in HTML', '<a href="SECURITY.md">', `<a href="${base}/blob/abc/SECURITY.md">`],
    [
      'several on a line',
      '[a](docs/a.md), [b](SECURITY.md)',
      `[a](${base}/blob/abc/docs/a.md), [b](${base}/blob/abc/SECURITY.md)`,
    ],
  ])('makes absolute: %s', (_what, link, expected) => {
    expect(withAbsoluteLinks(`Text ${link}`.replace(/^Text (?=\[a\]:)/u, ''), origin())).toContain(expected);
  });

  it.each([
    ['another site', '[a](https://example.com/docs/a.md)'],
    ['another site with the same scheme', '[a](//example.com/a)'],
    ['an address of mail', '[a](mailto:a@example.com)'],
    ['a heading of the page', '[a](#docs)'],
    ['a file that is released, too', '[a](LICENSE)'],
    ['code', '`[a](docs/none.md)` and ``b ` [a](docs/none.md)``'],
    ['a fence', '```md\n[a](docs/none.md)\n```\n'],
    ['a fence with tildes, in a list', '- a\n\n  ~~~\n  [a](docs/none.md)\n  ~~~\n'],
    ['a footnote', '[^1]: docs/none.md'],
  ])('leaves as it is: %s', (_what, text) => {
    expect(withAbsoluteLinks(text, origin())).toBe(text);
  });

  it('resolves links against the folder of the page', () => {
    const text = '[a](a.md), [b](../SECURITY.md)';
    expect(withAbsoluteLinks(text, origin({ page: 'docs/x.md' }))).toBe(
      `[a](${base}/blob/abc/docs/a.md), [b](${base}/blob/abc/SECURITY.md)`,
    );
  });

  it('leads from an excerpt to the headings of its page', () => {
    const excerpt = origin({ page: 'CHANGELOG.md', isExcerpt: true });
    expect(withAbsoluteLinks('[a](#x)', excerpt)).toBe(`[a](${base}/blob/abc/CHANGELOG.md#x)`);
  });

  it('throws with the line if the commit does not have the path', () => {
    const text = 'One\n\n`x`\n[a](docs/none.md#b)';
    const message = ' links to docs/none.md#b, which is not in commit abc. Correct the link on the main branch.';
    expect(() => withAbsoluteLinks(text, origin())).toThrow(`README.md:4${message}`);
    expect(() => withAbsoluteLinks(text, origin(), 10)).toThrow(`README.md:13${message}`);
  });
});
