import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../../src/contract/reason.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { reportResult } from '../../../src/step/report/report-result.ts';
import { decideResult } from '../../../src/step/run/gate.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { shownLines } from '../../support/workflow-command.ts';

/** A list of which only the first rows are in the table. */
function listOf(held: number, more: number, reasons: readonly Reason[] = []): OperationResult {
  return {
    outcome: 'compliant',
    conclusion: 'All is well.',
    response: [],
    count: held + more,
    report: {
      subject: 'Attestations',
      reasons,
      facts: [],
      tables: [
        {
          title: 'Attestations',
          columns: ['Number'],
          rows: Array.from({ length: held }, (_, index) => [{ text: `row ${index}` }]),
          more,
        },
      ],
    },
  };
}

function reported(result: OperationResult): ReturnType<typeof captureOutput> {
  const decision = decideResult(result, 'ignore');
  return captureOutput([], (target) => reportResult({ decision, result, runUrl: undefined, summary: true }, target));
}

describe('the reasons for a verdict', () => {
  it('come first in the log, with their number if there are many', async () => {
    const reasons = Array.from({ length: 52 }, (_, index): Reason => ({
      ...{ state: 'missing', about: `unit-${index}`, rule: 'template of the flow', value: 'recorded as generic' },
      limit: 'junit is required',
    }));
    const { log } = await reported(listOf(1, 0, reasons));
    const lines = shownLines(log);
    const first = lines.indexOf('Reasons:');
    expect(lines[first + 1]).toBe('  ⬜ unit-0: recorded as generic; junit is required (template of the flow)');
    expect(lines[first + 51]).toBe('  … and 2 more in the response-path file');
    expect(lines.indexOf('  row 0')).toBeGreaterThan(first);
  });
});

describe('a table that has only the first rows', () => {
  it.each([
    [200, 50, 50],
    [3, 1, 1],
    [250, 10, 60],
  ])('of %d rows and %d more counts those not shown in the summary: %d', async (held, more, hidden) => {
    const { summary, outputs, log } = await reported(listOf(held, more));
    expect(summary).toContain(`${hidden} more row`);
    expect(outputs['count']).toBe(String(held + more));
    expect(shownLines(log)).toContain(`  … and ${more} more in the response-path file`);
  });

  it('does not mention further rows if there are none', async () => {
    const { summary, log } = await reported(listOf(3, 0));
    expect(summary).not.toContain('more row');
    expect(log).not.toContain('more, in the file');
  });
});
