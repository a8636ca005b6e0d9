import { ruleDataKey } from '../../contract/attestations/attestation-fields.ts';
import { severitiesDataKey, snykKind, type ScanRule } from '../../contract/attestations/snyk.ts';
import { defineAttestOperation } from '../attest/define-attest-operation.ts';
import { findSourceFiles } from '../attest/find-source-files.ts';
import { failOn, sarifPath } from '../inputs/evidence-inputs.ts';
import { required, withDefault } from '../inputs/input.ts';
import { presentScan, type GatheredScan } from './scan-result.ts';

/** Records the findings in SARIF files of any scanner, and attaches the files. */
export const attestScan = defineAttestOperation({
  kind: snykKind,
  defaultName: 'scan',
  inputs: { sarifPath: required(sarifPath), failOn: withDefault(failOn, 'high') },
  reservedKeys: [ruleDataKey, severitiesDataKey],
  findSources: (values, context) => findSourceFiles('sarif-path', values.sarifPath, values, context),
  gatherTitle: 'Read the findings',
  async gather({ failOn: severity }, _commit, { call }, files): Promise<GatheredScan> {
    // Only this operation needs the reader.
    const { gatherScan } = await import(/* webpackChunkName: 'scan' */ '../../evidence/scan/gather-scan.ts');
    const scan = await gatherScan(files, call);
    const rule: ScanRule = { fail_on: severity };
    return { scan, fileCount: files.length, data: { [severitiesDataKey]: scan.counts, [ruleDataKey]: rule } };
  },
  toDocument: (common, { scan }) => ({ ...common, snyk_results: scan.results }),
  present: (gathered, { attestationName }) => presentScan(gathered, attestationName),
});
