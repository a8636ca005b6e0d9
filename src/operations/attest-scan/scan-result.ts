import { describeFindings } from '../../contract/attestations/snyk.ts';
import type { ScanEvidence } from '../../evidence/scan/gather-scan.ts';
import type { EvidencePresentation } from '../attest/attestation-report.ts';
import type { GatheredEvidence } from '../attest/define-attest-operation.ts';
import { code, fact, listTable, plain, type Text } from '../report.ts';
import { pluralize } from '../sentences.ts';
import { truncate } from '../../runtime/truncate.ts';

/** The findings, and how many files they are from. */
export interface GatheredScan extends GatheredEvidence {
  readonly scan: ScanEvidence;
  readonly fileCount: number;
}

/** The maximum number of findings in the report. */
const maximumRows = 100;

/** The maximum length of a message in the report, in characters. */
const maximumShownMessage = 300;

/** The numbers of findings, and the worst ones. */
export function presentScan({ scan, fileCount }: GatheredScan, attestationName: string): EvidencePresentation {
  const { results, counts, listed, remarks } = scan;
  const { critical, high, medium, low } = counts;
  const total = critical + high + medium + low;
  const unlisted = total - listed.length;
  const rows = listed
    .slice(0, maximumRows)
    .map(({ severity, finding }): readonly Text[] => [
      plain(severity),
      code(finding.id),
      plain(truncate(finding.message.replaceAll(/\s+/gu, ' '), maximumShownMessage)),
      code(describePlace(finding.locations?.[0])),
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
}

function describePlace(location: { readonly uri: string; readonly lines?: string } | undefined): string {
  if (location === undefined) return '';
  return location.lines === undefined ? location.uri : `${location.uri}:${location.lines}`;
}
