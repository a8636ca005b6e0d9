import { ruleDataKey } from '../contract/attestations/attestation-fields.ts';
import {
  describeFindings,
  type Finding,
  type ScanRule,
  severitiesDataKey,
  snykKind,
} from '../contract/attestations/snyk.ts';
import { severities } from '../contract/names.ts';
import { truncate } from '../runtime/truncate.ts';
import { defineAttestOperation } from './attest/define-attest-operation.ts';
import { findSourceFiles } from './attest/find-source-files.ts';
import { required, withDefault } from './inputs/input.ts';
import { lines, oneOf, text } from './inputs/input-types.ts';
import { code, fact, listTable, plain, type Text } from './report.ts';
import { pluralize } from './sentences.ts';

/** The maximum number of findings in the report. */
const maximumRows = 100;

/** The maximum length of a message in the report, in characters. */
const maximumShownMessage = 300;

/** Records the findings in SARIF files of any scanner, and attaches the files. */
export const attestScan = defineAttestOperation({
  kind: snykKind,
  defaultName: 'scan',
  inputs: {
    /** Paths and globs of SARIF files, one per line. */
    sarifPath: required(lines(text('sarif-path'), 'ignored')),
    /** The lowest severity that makes the evidence non-compliant. It decides a gate, so it has no environment fallback. */
    failOn: withDefault(oneOf('fail-on', [...severities, 'none']), 'high'),
  },
  reservedKeys: [ruleDataKey, severitiesDataKey],
  findSources: (values, context) => findSourceFiles('sarif-path', values.sarifPath, values, context),
  gatherTitle: 'Read the findings',
  async gather({ failOn: severity }, _commit, { call }, files) {
    // Only this operation needs the reader.
    const { gatherScan } = await import(/* webpackChunkName: 'scan' */ '../evidence/scan/gather-scan.ts');
    const scan = await gatherScan(files, call);
    const rule: ScanRule = { fail_on: severity };
    return { ...scan, fileCount: files.length, data: { [severitiesDataKey]: scan.counts, [ruleDataKey]: rule } };
  },
  toDocument: (common, { results }) => ({ ...common, snyk_results: results }),
  present({ results, counts, listed, remarks, fileCount }, { attestationName }) {
    const { critical, high, medium, low } = counts;
    const total = critical + high + medium + low;
    const unlisted = total - listed.length;
    const rows = listed
      .slice(0, maximumRows)
      .map(({ severity, finding }): readonly Text[] => [
        plain(severity),
        code(finding.id),
        plain(truncate(finding.message.replaceAll(/\s+/gu, ' '), maximumShownMessage)),
        code(describePlace(finding)),
      ]);
    return {
      subject: `Scan ${attestationName}`,
      facts: [
        ...fact('Findings', describeFindings(counts)),
        ...fact(
          'Not listed',
          unlisted === 0 ? undefined : `${pluralize(unlisted, 'finding')}, counted; the attestation lists the worst`,
        ),
        ...fact('Scanner', `${results.tool.name} ${results.tool.version}`.trim()),
        ...fact('Read from', `${pluralize(fileCount, 'file')} with ${pluralize(results.results.length, 'run')}`),
      ],
      notes: remarks,
      tables: listTable('Findings', ['Severity', 'Rule', 'Message', 'Place'], rows, total),
    };
  },
});

function describePlace({ locations: [first] = [] }: Finding): string {
  if (first === undefined) return '';
  return first.lines === undefined ? first.uri : `${first.uri}:${first.lines}`;
}
