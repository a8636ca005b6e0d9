import { describeTests, sumResults, type JunitResult } from '../../contract/attestations/junit.ts';
import type { JunitEvidence } from '../../evidence/junit/gather-junit.ts';
import type { EvidencePresentation } from '../attest/attestation-report.ts';
import type { GatheredEvidence } from '../attest/define-attest-operation.ts';
import { code, fact, listTable, plain, type Table, type Text } from '../report.ts';
import { pluralize } from '../sentences.ts';

/** The results of the tests, and how many files they are from. */
export interface GatheredTests extends GatheredEvidence {
  readonly tests: JunitEvidence;
  readonly fileCount: number;
}

/** The maximum number of suites in the report. */
const maximumSuiteRows = 100;

/** The numbers of tests, those that failed, and the suites. */
export function presentTests({ tests, fileCount }: GatheredTests, attestationName: string): EvidencePresentation {
  return {
    subject: `Test results ${attestationName}`,
    facts: [
      ...fact('Tests', describeTests(sumResults(tests.results))),
      ...fact('Read from', `${pluralize(fileCount, 'file')} with ${pluralize(tests.results.length, 'suite')}`),
    ],
    tables: [...failedTable(tests), ...suiteTable(tests.results)],
  };
}

function failedTable({ failed, failedCount }: JunitEvidence): readonly Table[] {
  const rows = failed.map(({ test, kind, message }): readonly Text[] => [
    code(test),
    plain(kind === 'failure' ? '❌ failed' : '❌ error'),
    plain(message),
  ]);
  return listTable('Failed tests', ['Test', 'Result', 'Message'], rows, failedCount);
}

/** Suites with failures first. */
function suiteTable(results: readonly JunitResult[]): readonly Table[] {
  const rank = ({ failures, errors }: JunitResult): number => (failures + errors > 0 ? 0 : 1);
  const rows = results
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, maximumSuiteRows)
    .map(({ name, total, failures, errors, skipped, duration }): readonly Text[] => [
      code(name),
      ...[total, failures, errors, skipped].map((count) => plain(String(count))),
      plain(`${duration.toFixed(3)} s`),
    ]);
  return listTable('Suites', ['Suite', 'Tests', 'Failed', 'Errors', 'Skipped', 'Duration'], rows, results.length);
}
