import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { type BillOfMaterials, createSummary, nameComponent } from './bill-of-materials.ts';

/**
 * Reads a document of SPDX 2.2 or 2.3.
 *
 * @param version `2.3`
 */
export function readSpdx(document: unknown, version: string): BillOfMaterials {
  const packages = listAt(document, 'packages');
  const product = findProduct(document, packages);
  const tools = listAt(document, 'creationInfo', 'creators').flatMap((creator) =>
    typeof creator === 'string' && /^Tool: ./u.test(creator) ? [creator.slice('Tool: '.length)] : [],
  );
  return {
    format: `spdx-${version}`,
    summary: createSummary({
      created: textAt(document, 'creationInfo', 'created'),
      tools,
      subject:
        product === undefined
          ? undefined
          : {
              name: textAt(product, 'name'),
              version: textAt(product, 'versionInfo'),
              purl: textAt(findEntry(product, 'externalRefs', 'referenceType', 'purl'), 'referenceLocator'),
              sha256: textAt(findEntry(product, 'checksums', 'algorithm', 'SHA256'), 'checksumValue'),
            },
      count: packages.length,
    }),
    // A bill of a single package is about that package, which is not a component of something else.
    components: packages
      .filter((one) => one !== product || packages.length === 1)
      .map((one) => ({
        name: nameComponent(textAt(one, 'name'), textAt(one, 'versionInfo')),
        license: findLicense(one),
      })),
  };
}

/** The one package that the document describes; undefined if there are several. */
function findProduct(document: unknown, packages: readonly unknown[]): unknown {
  if (packages.length === 1) return packages[0];
  const id = textAt(document, 'SPDXID');
  const described = listAt(document, 'relationships').flatMap((one) => {
    const [from, kind, to] = ['spdxElementId', 'relationshipType', 'relatedSpdxElement'].map((key) => textAt(one, key));
    if (kind === 'DESCRIBES' && from === id) return [to];
    return kind === 'DESCRIBED_BY' && to === id ? [from] : [];
  });
  const [only, ...others] = new Set<unknown>([...described, ...listAt(document, 'documentDescribes')]);
  return only === undefined || others.length > 0 ? undefined : packages.find((one) => textAt(one, 'SPDXID') === only);
}

function findEntry(one: unknown, list: string, key: string, value: string): unknown {
  return listAt(one, list).find((entry) => valueAt(entry, key) === value);
}

/** `NOASSERTION` means that nobody looked, and `NONE` that somebody found no licence (SPDX 2.3, 7.13 and 7.15). */
function findLicense(one: unknown): string | undefined {
  const concluded = textAt(one, 'licenseConcluded') ?? 'NOASSERTION';
  const license = concluded === 'NOASSERTION' ? textAt(one, 'licenseDeclared') : concluded;
  return license === 'NOASSERTION' || license === 'NONE' ? undefined : license;
}
