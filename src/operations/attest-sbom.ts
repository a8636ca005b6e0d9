import { ruleDataKey } from '../contract/attestations/attestation-fields.ts';
import { type LicenseRule, licensesDataKey, systemKind } from '../contract/attestations/system.ts';
import { maximumLineLength } from '../contract/limits.ts';
import { resolveOnlyFile } from '../evidence/files/resolve-files.ts';
import type { Problem } from '../runtime/failure.ts';
import { type AttestationValues, defineAttestOperation } from './attest/define-attest-operation.ts';
import { optional, required, type ValuesOf } from './inputs/input.ts';
import { lines, oneOf, text } from './inputs/input-types.ts';
import { code, fact, listTable, type Text } from './report.ts';
import { summarizeList } from './sentences.ts';

const inputs = {
  /** A bill of materials in SPDX or CycloneDX JSON. */
  sbomPath: required(text('sbom-path')),
  /** The licences that components may have, one per line. They decide a gate, so they have no environment fallback. */
  allowedLicenses: optional(lines(text('allowed-licenses', maximumLineLength), 'ignored')),
  /** What a component without a known licence means. It decides a gate, so it has no environment fallback. */
  unknownLicenses: optional(oneOf('unknown-licenses', ['refuse', 'allow'])),
} as const;

/** The annotations that the operation sets (observed on the wire). */
const annotationKeys = { format: 'sbom_format', sha256: 'sbom_sha256' } as const;

const maximumShownLicenses = 20;

/** Records a bill of materials with the licences of its components, and attaches it. */
export const attestSbom = defineAttestOperation({
  kind: systemKind,
  defaultName: 'sbom',
  inputs,
  check: checkInputs,
  reservedKeys: [ruleDataKey, licensesDataKey],
  findSources: async ({ sbomPath: path }, { workspace }) => [
    await resolveOnlyFile([path], workspace, 'the bill of materials', 'sbom-path'),
  ],
  gatherTitle: 'Read the bill of materials',
  async gather(values, _commit, { call: { log } }, [file]) {
    if (file === undefined) throw new Error('the bill of materials was not found');
    const { allowedLicenses: allowed, unknownLicenses: unknown = 'refuse' } = values;
    const rule: LicenseRule | undefined = allowed && { allowed_licenses: [...allowed], unknown_licenses: unknown };
    // Only this operation needs the readers.
    const { gatherBill } = await import(
      /* webpackChunkName: 'bill-of-materials' */ '../evidence/bill-of-materials/gather-bill.ts'
    );
    const bill = await gatherBill(file, rule, log);
    const data = { [licensesDataKey]: bill.licenses, ...(rule === undefined ? {} : { [ruleDataKey]: rule }) };
    return { bill, hasRule: rule !== undefined, data };
  },
  toDocument: (common, { bill: { format, sha256, summary } }) => ({
    ...common,
    annotations: { ...common.annotations, [annotationKeys.format]: format, [annotationKeys.sha256]: sha256 },
    type_name: 'sbom' as const,
    attestation_data: { format, original_fingerprint: sha256, document: { ...summary } },
  }),
  present({ bill: { format, sha256, summary, licenses }, hasRule }, { attestationName }) {
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
        ...fact('Licences', summarizeList(licenses.licenses, maximumShownLicenses, { separator: ', ' })),
        ...fact('SHA-256', sha256),
      ],
      tables: [
        ...listTable('Licences that are not allowed', ['Component', 'Licence'], refused, licenses.not_allowed_count),
        ...(hasRule ? listTable('Unknown licences', ['Component'], unknown, licenses.unknown_count) : []),
      ],
    };
  },
});

function checkInputs(values: AttestationValues & ValuesOf<typeof inputs>): readonly Problem[] {
  const given = Object.keys(values.annotations ?? {});
  const own: readonly string[] = Object.values(annotationKeys);
  return [
    ...own
      .filter((key) => given.includes(key))
      .map((key) => ({
        input: 'annotations',
        what: `\`annotations\` has the key ${key}, which the action itself sets`,
        remedy: 'Remove it.',
      })),
    ...(values.unknownLicenses === undefined || values.allowedLicenses !== undefined
      ? []
      : [
          {
            input: 'unknown-licenses',
            what: '`unknown-licenses` has no effect without `allowed-licenses`',
            remedy: 'Set `allowed-licenses`, too, or remove it.',
          },
        ]),
  ];
}
