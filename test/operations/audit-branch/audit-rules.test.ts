import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findMerged } from '../../../src/evidence/pull-requests/commit-pull-requests.ts';
import {
  type AuditedCommit,
  chooseTrail,
  type CommitTrail,
  precedesTrails,
  selectCounting,
} from '../../../src/operations/audit-branch/audit-rules.ts';

const trail = (name: string, verdict: CommitTrail['verdict'] = 'compliant'): CommitTrail => ({
  ...{ name, verdict, reasons: [], url: `https://compliance.example.com/${name}` },
});

function audited(...names: readonly (string | undefined)[]): readonly AuditedCommit[] {
  return names.map((name, index) => ({
    commit: { sha: String(index), firstParent: undefined, time: 1, author: 'ann', url: undefined },
    pullRequests: [],
    trail: name === undefined ? undefined : trail(name),
  }));
}

const first = { name: 'first', createdAt: 100 };

describe('the commits that count', () => {
  it('never leave out one above a commit with a trail, and none at all unless the trails begin in the range', () => {
    const names = fc.array(fc.option(fc.constantFrom('a', 'first'), { nil: undefined }), { maxLength: 12 });
    fc.assert(
      fc.property(names, fc.boolean(), (drawn, isEarly) => {
        const all = audited(...drawn);
        const counting = selectCounting(all, first, isEarly);
        expect(counting).toEqual(all.slice(0, counting.length));
        const begin = drawn.lastIndexOf('first');
        const oldest = drawn.findLastIndex((name) => name !== undefined);
        if (begin >= 0) expect(counting).toHaveLength(begin + 1);
        else expect(counting).toHaveLength(isEarly && oldest >= 0 ? oldest + 1 : all.length);
      }),
    );
  });

  it('may begin at the first trail if no older commit can have one', () => {
    const range = { commits: [], isWhole: false };
    expect(precedesTrails(range, { sha: 'a'.repeat(40) }, first)).toBe(false);
    expect(precedesTrails(range, { time: 101 }, first)).toBe(false);
    expect(precedesTrails(range, { time: 100 }, first)).toBe(true);
    expect(precedesTrails({ ...range, isWhole: true }, undefined, first)).toBe(true);
  });
});

describe('the trail of a commit', () => {
  it("is a compliant one of its pull requests' heads, if it has none of its own", () => {
    const green = trail('green');
    const red = trail('red', 'non-compliant');
    expect(chooseTrail([red, green])).toBe(green);
    expect(chooseTrail([red])).toBe(red);
    expect(chooseTrail([])).toBeUndefined();
  });

  it('can be that of a pull request only if it was merged into the same branch', () => {
    const merged = {
      number: 12,
      html_url: 'https://github.com/acme/widgets/pull/12',
      merged_at: '2026-01-03T00:00:00Z',
      head: { sha: 'A'.repeat(40) },
      base: { ref: 'main' },
    };
    const others = [
      { ...merged, merged_at: null },
      { ...merged, base: { ref: 'other' } },
      { ...merged, base: {} },
      { ...merged, head: {} },
      { ...merged, number: '12' },
      null,
    ];
    expect(findMerged([...others, merged], 'main')).toEqual([
      { number: 12, url: merged.html_url, headSha: 'a'.repeat(40) },
    ]);
  });
});
