import { describe, expect, it } from '@jest/globals';
import { resolveExpressions } from './expressions.ts';

describe('the expressions of a workflow', () => {
  const contexts = { github: { sha: 'a', event: { number: 12, labels: ['x'] } }, steps: {} };

  it.each([
    ['plain', 'plain'],
    ['pr-${{ github.event.number }}/${{ github.sha }}', 'pr-12/a'],
    ['${{ github.event.pull_request.head.sha || github.sha }}', 'a'],
    ["${{ contains(github.event.labels, 'x') }}", 'true'],
    ['${{ steps.gate.outputs.outcome }}', ''],
  ])('of %s have the values that GitHub gives them', (text, expected) => {
    expect(resolveExpressions(text, contexts)).toBe(expected);
  });

  it('throw if they use a context that the test does not provide', () => {
    expect(() => resolveExpressions('${{ needs.build.result }}', contexts)).toThrow(/needs/u);
  });
});
