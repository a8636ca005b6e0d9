import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { type BillOfMaterials, createSummary, nameComponent } from './bill-of-materials.ts';
import { parseLicense } from './licenses.ts';

/**
 * Reads a document of CycloneDX.
 *
 * @param version `1.5`
 */
export function readCycloneDx(document: unknown, version: string): BillOfMaterials {
  const components = listComponents(document).filter((one) => textAt(one, 'type') !== 'file');
  const product = valueAt(document, 'metadata', 'component') ?? undefined;
  const hash = listAt(product, 'hashes').find((one) => textAt(one, 'alg') === 'SHA-256');
  return {
    format: `cyclonedx-${version}`,
    summary: createSummary({
      created: textAt(document, 'metadata', 'timestamp'),
      tools: listTools(valueAt(document, 'metadata', 'tools')),
      subject:
        product === undefined
          ? undefined
          : {
              name: textAt(product, 'name'),
              version: textAt(product, 'version'),
              purl: textAt(product, 'purl'),
              sha256: textAt(hash, 'content'),
            },
      count: components.length,
    }),
    components: components.map((one) => ({
      name: nameComponent(textAt(one, 'name'), textAt(one, 'version')),
      license: findLicense(one),
    })),
  };
}

/** All components, at any depth. The depth of the document is limited. */
function listComponents(parent: unknown): readonly unknown[] {
  return listAt(parent, 'components').flatMap((one) => [one, ...listComponents(one)]);
}

/** A list until version 1.4; later also an object with components and services. */
function listTools(tools: unknown): readonly string[] {
  const all = Array.isArray(tools)
    ? (tools as readonly unknown[])
    : [...listAt(tools, 'components'), ...listAt(tools, 'services')];
  return all.flatMap((one) => {
    const name = textAt(one, 'name');
    const version = textAt(one, 'version');
    if (name === undefined) return [];
    return [version === undefined ? name : `${name} ${version}`];
  });
}

/** The concluded licences, or else the declared ones, as one expression: all of them must be allowed. */
function findLicense(one: unknown): string | undefined {
  const all = listAt(one, 'licenses');
  const concluded = all.filter((entry) => acknowledgementOf(entry) === 'concluded');
  const written = (concluded.length > 0 ? concluded : all).map(
    (entry) => textAt(entry, 'expression') ?? textAt(entry, 'license', 'id') ?? textAt(entry, 'license', 'name') ?? '',
  );
  if (written.length === 0) return undefined;
  if (written.length === 1) return written[0];
  // The parentheses of a text that is not an expression could close those around it: `MIT) OR (MIT`.
  if (!written.every((text) => parseLicense(text) !== undefined)) return written.join(', ');
  return written.map((text) => `(${text})`).join(' AND ');
}

function acknowledgementOf(entry: unknown): unknown {
  return valueAt(entry, 'acknowledgement') ?? valueAt(entry, 'license', 'acknowledgement');
}
