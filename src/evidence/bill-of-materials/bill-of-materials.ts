import { toRecordedText } from '../recorded-text.ts';

/** A bill of materials, as much of it as the attestation records. */
export interface BillOfMaterials {
  /** `spdx-2.3`, `cyclonedx-1.5`. */
  readonly format: string;
  readonly summary: BillSummary;
  /** The parts of the product, without the product itself and without files. */
  readonly components: readonly Component[];
}

/** What a bill says about itself (observed on the wire). */
export interface BillSummary {
  /** In RFC 3339. */
  readonly created_at: string | null;
  readonly tools: readonly string[] | null;
  /** The product; null unless the bill describes exactly one. */
  readonly subject: Subject | null;
  readonly package_count: number;
}

interface Subject {
  readonly name: string;
  readonly version: string | null;
  readonly purl: string | null;
  readonly sha256: string | null;
}

/** A component, and its licence as an SPDX expression as it is written; undefined if the bill has none. */
export interface Component {
  readonly name: string;
  readonly license: string | undefined;
}

/** The maximum length of a recorded text, in characters. */
const maximumText = 300;

export function cut(text: string): string {
  return toRecordedText(text, maximumText);
}

/** `name@version`; in SPDX, a version that is not known is `NOASSERTION`. */
export function nameComponent(name = 'unnamed', version = 'NOASSERTION'): string {
  return cut(version === 'NOASSERTION' ? name : `${name}@${version}`);
}

const maximumTools = 50;

export function createSummary(given: {
  readonly created: string | undefined;
  readonly tools: readonly string[];
  readonly subject: { readonly [Key in keyof Subject]: string | undefined } | undefined;
  readonly count: number;
}): BillSummary {
  const { created = '', tools, subject, count } = given;
  // Other services refuse values of another form.
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/iu.test(created);
  const sha256 = subject?.sha256?.toLowerCase() ?? '';
  return {
    created_at: isTime ? cut(created) : null,
    tools: tools.length === 0 ? null : tools.slice(0, maximumTools).map(cut),
    subject:
      subject === undefined
        ? null
        : {
            name: cut(subject.name ?? ''),
            version: subject.version === undefined ? null : cut(subject.version),
            purl: subject.purl === undefined ? null : cut(withoutCredentials(subject.purl)),
            sha256: /^[0-9a-f]{64}$/u.test(sha256) ? sha256 : null,
          },
    package_count: count,
  };
}

/** A package URL can contain another URL, such as that of its repository, with a user and a password. */
function withoutCredentials(purl: string): string {
  return purl.replaceAll(/((?::|%3A)(?:\/\/|%2F%2F))(?:(?!%2F)[^/?#&@])*(?:@|%40)/giu, '$1');
}
