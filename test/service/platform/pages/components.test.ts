import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placeBars, renderTimeline } from '../../../../src/service/environment/timeline-html.ts';
import { PagePaths } from '../../../../src/service/platform/page-paths.ts';
import { apiRequest, withQuery } from '../../../../src/service/platform/pages/api-request.ts';
import { compactStyles, stylesheet } from '../../../../src/service/platform/pages/assets.ts';
import {
  describeDuration,
  describeTime,
  renderBadge,
  renderExpiry,
  renderFacts,
  renderHash,
  renderTime,
} from '../../../../src/service/platform/pages/components.ts';
import { renderTable } from '../../../../src/service/platform/pages/table.ts';
import { toOwnAddress } from '../../../../src/service/session/session-page-routes.ts';

describe('a time', () => {
  it.each([
    [0, 'just now'],
    [-59, 'just now'],
    [1, 'in a moment'],
    [-60, '1 minute ago'],
    [-3599, '59 minutes ago'],
    [-3600, '1 hour ago'],
    [-47 * 3600, '47 hours ago'],
    [-48 * 3600, '2 days ago'],
    [-59 * 86_400, '59 days ago'],
    [-60 * 86_400, '2 months ago'],
    [-800 * 86_400, '2 years ago'],
    [2 * 86_400, 'in 2 days'],
  ])('that is %d seconds away is %s', (difference, words) => {
    expect(describeTime(difference)).toBe(words);
  });

  it('has the exact time as its title, and never fails', () => {
    expect(renderTime(1_700_000_000.5, { now: 1_700_003_600.5 }).text).toBe(
      '<time datetime="2023-11-14T22:13:20.500Z" title="2023-11-14 22:13:20 UTC">1 hour ago</time>',
    );
    expect(renderTime(1e300, { now: 0 }).text).toBe('an unknown time');
    expect([describeDuration(5), describeDuration(7200)]).toEqual(['less than a minute', '2 hours']);
  });
});

describe('components', () => {
  it('tell states by text and shape', () => {
    expect(renderBadge('NON-COMPLIANT').text).toBe(
      '<span class="badge bad"><span aria-hidden="true">✕</span> Not compliant</span>',
    );
  });

  it('mark keys that have expired or expire soon', () => {
    const badgeOf = (days: number): string | undefined =>
      /class="badge.*<\/span> (.*)<\/span> <time/u.exec(renderExpiry(days * 86_400, { now: 0 }).text)?.[1];
    expect([-1, 0, 1, 30, 31].map(badgeOf)).toEqual(['Expired', 'Expired', 'Expires soon', 'Expires soon', undefined]);
  });

  it('shorten hashes and texts, and leave out facts without a value', () => {
    expect(renderHash('a'.repeat(64)).text).toBe(`<code title="${'a'.repeat(64)}">${'a'.repeat(12)}</code>`);
    const { text } = renderFacts([
      ['One', 'x'.repeat(1000)],
      ['Two', undefined],
      ['Three', ''],
    ]);
    expect(text.length).toBeLessThan(700);
    expect(text).not.toMatch(/Two|Three/);
  });

  it('show as many rows of a table as fit, and count the others', () => {
    const rows = Array.from({ length: 100 }, (_, index) => [`row ${index}`, '<b>']);
    const table = { label: 'Rows', columns: ['One', 'Two'], empty: 'none' };
    const { text } = renderTable({ ...table, rows, maximumBytes: 1000, more: 5 });
    expect(text.length).toBeLessThan(1600);
    const shown = [...text.matchAll(/row \d+/g)].length;
    expect(shown).toBeGreaterThan(5);
    expect(text).toContain(`${105 - shown} more are not shown here.`);
    expect(text).toContain('&lt;b&gt;');
    expect(renderTable({ ...table, rows: [] }).text).toBe('<p class="empty">none</p>');
    expect(renderTable({ ...table, rows: [['x'.repeat(2000)]], maximumBytes: 1000 }).text).toContain('x'.repeat(2000));
  });
});

describe('a timeline', () => {
  it('fills its width with bars that can all be seen', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1e6), { minLength: 1, maxLength: 100 }), (lengths) => {
        const bars = placeBars(lengths);
        const last = bars.at(-1);
        expect((last?.start ?? 0) + (last?.size ?? 0)).toBeCloseTo(1000, 0);
        for (const { size } of bars) expect(size).toBeGreaterThanOrEqual(7.9);
      }),
    );
  });

  it('names every snapshot, and links to it', () => {
    const context = { paths: new PagePaths(() => ''), now: 100, org: 'acme', viewer: undefined, apiBase: '' };
    const snapshots = [
      { number: 2, from: 40, to: undefined, compliant: false },
      { number: 1, from: 10, to: 40, compliant: true },
    ];
    const { text = '' } = renderTimeline(context, { org: 'acme', environment: 'prod', snapshots }) ?? {};
    expect(text).toContain('aria-label="Snapshot 2: not compliant, current for 1 minute"');
    expect(text.indexOf('snapshots/1"')).toBeLessThan(text.indexOf('snapshots/2"'));
    expect(renderTimeline(context, { org: 'acme', environment: 'prod', snapshots: [] })).toBeUndefined();
  });
});

describe('addresses', () => {
  it('of the API are those of the endpoint, with encoded values', () => {
    const endpoint = { method: 'GET', path: '/trails/{org}/{flow_name}' } as const;
    expect(apiRequest(endpoint, { org: 'acme', flow_name: 'a/b' }, { page: 2, flow: 'x y', none: undefined })).toBe(
      'GET /trails/acme/a%2Fb?page=2&flow=x%20y',
    );
    expect(withQuery('/x', { q: '' })).toBe('/x');
  });

  it.each([
    ['/acme/flows/web?name=a', '/acme/flows/web?name=a'],
    ['/', '/'],
    ['//example.com', '/home'],
    ['/\\example.com', '/home'],
    ['/.//example.com', '/home'],
    ['/acme/..//example.com', '/home'],
    ['/%2e//example.com', '/home'],
    ['/./\\example.com', '/home'],
    ['/acme//example.com', '/acme//example.com'],
    ['https://example.com/', '/home'],
    ['javascript:alert(1)', '/home'],
    ['/a\nb', '/home'],
    ['', '/home'],
    [null, '/home'],
  ])('after signing in: %j leads to %s', (address, expected) => {
    expect(toOwnAddress(address, '/home')).toBe(expected);
  });
});

it('the stylesheet has no comments, and its name changes with its content', () => {
  expect(compactStyles('a {\n  b: c; /* d\n e */\n}\n')).toBe('a {\nb: c;\n}');
  expect(stylesheet.content).not.toContain('/*');
  expect(stylesheet.name).toMatch(/^pages-[0-9a-f]{16}\.css$/);
  expect(stylesheet.content.length).toBeLessThan(25_000);
});
