import type { LicenseRule } from '../../contract/attestations/system.ts';
import type { BillEvidence } from '../../evidence/bill-of-materials/gather-bill.ts';
import type { EvidencePresentation } from '../attest/attestation-report.ts';
import type { GatheredEvidence } from '../attest/define-attest-operation.ts';
import { code, fact, listTable, type Text } from '../report.ts';
import { summarizeList } from '../sentences.ts';

/** The bill of materials, and the rule of the step, if it has one. */
export interface GatheredBill extends GatheredEvidence {
  readonly bill: BillEvidence;
  readonly rule: LicenseRule | undefined;
}

/** The maximum number of licences in a fact. */
const maximumShown = 20;

/** What the bill is about, and the licences that are not allowed or not known. */
export function presentBill({ bill, rule }: GatheredBill, attestationName: string): EvidencePresentation {
  const { format, summary, licenses } = bill;
  const { subject, tools } = summary;
  const refused = licenses.not_allowed.map(({ component, license }): readonly Text[] => [
    code(component),
    code(license),
  ]);
  const unknown = licenses.unknown.map((component): readonly Text[] => [code(component)]);
  return {
    subject: `Bill of materials ${attestationName}`,
    facts: [
      ...fact('About', subject === null ? undefined : [subject.name, subject.version ?? ''].join(' ').trim()),
      ...fact('Format', format),
      ...fact('Written by', tools?.join(', ')),
      ...fact('Components', String(summary.package_count)),
      ...fact('Licences', summarizeList(licenses.licenses, maximumShown, { separator: ', ' })),
      ...fact('SHA-256', bill.sha256),
    ],
    tables: [
      ...listTable('Licences that are not allowed', ['Component', 'Licence'], refused, licenses.not_allowed_count),
      ...(rule === undefined ? [] : listTable('Unknown licences', ['Component'], unknown, licenses.unknown_count)),
    ],
  };
}
