import { describeTests, junitKind, type JunitResult, sumResults } from '../contract/attestations/junit.ts';
import { defineAttestOperation } from './attest/define-attest-operation.ts';
import { findSourceFiles } from './attest/find-source-files.ts';
import { required } from './inputs/input.ts';
import { lines, text } from './inputs/input-types.ts';
import { code, fact, listTable, plain, type Table, type Text } from './report.ts';
import { pluralize } from './sentences.ts';

/** The maximum number of suites in the report. */
const maximumSuiteRows = 100;

/** Records the results in JUnit files, and attaches the files. */
export const attestJunit = defineAttestOperation({
  kind: junitKind,
  defaultName: 'junit',
  inputs: {
    /** Paths and globs of JUnit files, one per line. */
    junitPath: required(lines(text('junit-path'), 'ignored')),
  },
  findSources: (values, context) => findSourceFiles('junit-path', values.junitPath, values, context),
  gatherTitle: 'Read the test results',
  async gather(_values, _commit, { call }, files) {
    // Only this operation needs the parser.
    const { gatherJunit } = await import(/* webpackChunkName: 'junit' */ '../evidence/junit/gather-junit.ts');
    return { ...(await gatherJunit(files, call)), fileCount: files.length };
  },
  toDocument: (common, { results }) => ({ ...common, junit_results: [...results] }),
  present({ results, failed, failedCount, fileCount }, { attestationName }) {
    const failures = failed.map(({ test, kind, message }): readonly Text[] => [
      code(test),
      plain(kind === 'failure' ? '❌ failed' : '❌ error'),
      plain(message),
    ]);
    return {
      subject: `Test results ${attestationName}`,
      facts: [
        ...fact('Tests', describeTests(sumResults(results))),
        ...fact('Read from', `${pluralize(fileCount, 'file')} with ${pluralize(results.length, 'suite')}`),
      ],
      tables: [
        ...listTable('Failed tests', ['Test', 'Result', 'Message'], failures, failedCount),
        ...suiteTable(results),
      ],
    };
  },
});

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
