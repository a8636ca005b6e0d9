import { createHash } from 'node:crypto';
import type { FoundLicenses, LicenseRule } from '../../contract/attestations/system.ts';
import { UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { truncate } from '../../runtime/truncate.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { type JsonReport, readJsonReport, type ReportFormat } from '../files/json-report.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import type { BillOfMaterials } from './bill-of-materials.ts';
import { readCycloneDx } from './cyclonedx-document.ts';
import { findLicenses, listLicenses, parseLicense } from './licenses.ts';
import { readSpdx } from './spdx-document.ts';

/** A bill of materials, with its digest and the licences of its components. */
export interface BillEvidence extends BillOfMaterials {
  readonly sha256: string;
  readonly licenses: FoundLicenses;
}

const format: ReportFormat = {
  input: 'sbom-path',
  wanted: 'SPDX or CycloneDX JSON',
  tooLargeRemedy: 'Let the tool leave out the files of packages, or write one bill of materials for each part.',
};

/**
 * Reads a bill of materials in JSON.
 *
 * @throws UserError if the file is not SPDX 2.2 or 2.3, or CycloneDX, or cannot be read; or if an allowed licence is
 * not an SPDX licence
 */
export async function gatherBill(file: MatchedFile, rule: LicenseRule | undefined, log: Log): Promise<BillEvidence> {
  const allowed = rule && new Set(rule.allowed_licenses.map(requireLicense));
  const report = await readJsonReport(file, format);
  const bill = readBill(report);
  for (const key of ['components', 'packages']) requireList(report, key);
  const licenses = findLicenses(bill.components, allowed);
  log.info(`${file.name}: ${bill.format} with ${bill.summary.package_count} components`);
  if (bill.components.length === 0) log.warning(`${file.name} has no components, so it has no licences to judge.`);
  return { ...bill, sha256: createHash('sha256').update(report.bytes).digest('hex'), licenses };
}

function readBill({ document, createError, createKindError }: JsonReport): BillOfMaterials {
  const isCycloneDx = textAt(document, 'bomFormat') === 'CycloneDX';
  const declared = textAt(document, isCycloneDx ? 'specVersion' : 'spdxVersion');
  if (!isCycloneDx && (declared === undefined || textAt(document, 'SPDXID') === undefined)) throw createKindError();
  const [, version] = (isCycloneDx ? /^(1\.[2-7])$/u : /^SPDX-(2\.[23])$/u).exec(declared ?? '') ?? [];
  if (version === undefined) {
    const known = isCycloneDx ? 'CycloneDX 1.2 to 1.7' : 'SPDX 2.2 and 2.3';
    throw createError(
      ` has the version ${truncate(declared ?? '(none)', 40)}, and ${known} are read`,
      `Let the tool write one of these versions.`,
    );
  }
  return isCycloneDx ? readCycloneDx(document, version) : readSpdx(document, version);
}

/** Otherwise it would have no components, and so no licences that are not allowed. Some tools write null for none. */
function requireList({ document, createError }: JsonReport, key: string): void {
  if (Array.isArray(valueAt(document, key) ?? [])) return;
  throw createError(` has \`${key}\` that are not a list`, 'Let the tool write the file again.');
}

/** @throws UserError if it is not one licence, with or without an exception */
function requireLicense(text: string): string {
  const expression = parseLicense(text);
  const [license, ...others] = expression === undefined ? [] : listLicenses(expression);
  if (license !== undefined && others.length === 0) return license;
  throw new UserError({
    input: 'allowed-licenses',
    what: `\`allowed-licenses\`: ${JSON.stringify(truncate(text, 80))} is not the identifier of one SPDX licence`,
    remedy: 'Write one identifier per line as https://spdx.org/licenses/ spells it: `Apache-2.0`, `MIT`.',
  });
}
