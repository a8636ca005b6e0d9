import type { EndpointOperation } from '../../contract/endpoint.ts';
import { UserError } from '../../runtime/failure.ts';
import { decodeFile } from './text-file.ts';

/** A kind of file that can be mistaken for another. */
interface DocumentKind {
  /** Completes the sentence "the file is …". */
  readonly name: string;
  readonly operation?: EndpointOperation;
  readonly start: RegExp;
  readonly contains?: RegExp;
}

/** How much of a file is read to recognize it, in bytes. */
const startBytes = 64 * 1024;

const json = /^\s*\{/u;
const xml = /^\s*</u;

/** The first one that matches counts. */
const kinds: readonly DocumentKind[] = [
  { name: 'a gzip archive', start: /^\p{Cc}\x8B/u },
  { name: 'a zip archive', start: /^PK\p{Cc}{2}/u },
  { name: 'JUnit XML', operation: 'attest-junit', start: xml, contains: /<testsuites?[\s/>]/u },
  { name: 'CycloneDX in XML', start: xml, contains: /cyclonedx\.org\/schema\/bom/u },
  { name: 'XML', start: xml },
  { name: 'SPDX 3', start: json, contains: /"@context"\s*:\s*"https:\/\/spdx\.org\//u },
  { name: 'SPDX', operation: 'attest-sbom', start: json, contains: /"spdxVersion"\s*:/u },
  { name: 'CycloneDX', operation: 'attest-sbom', start: json, contains: /"bomFormat"\s*:\s*"CycloneDX"/u },
  { name: 'SARIF', operation: 'attest-scan', start: json, contains: /"runs"\s*:/u },
  { name: 'another kind of JSON', start: /^\s*[[{]/u },
  { name: 'SPDX in the tag-value form', start: /^\s*SPDXVersion:/u },
];

interface WantedKind {
  /** The input that names the file. */
  readonly input: string;
  /** Its name: `SARIF`. */
  readonly wanted: string;
  /** True if it is XML: then its reader names other kinds of XML, by their root element. */
  readonly isXml?: true;
}

/**
 * Creates the error if the beginning of a file shows that it is of another kind than expected.
 *
 * @param bytes the file, or its beginning
 * @returns undefined if it does not show that
 */
export function wrongKindError(
  file: string,
  bytes: Uint8Array,
  { input, wanted, isXml }: WantedKind,
): UserError | undefined {
  const start = Buffer.from(bytes.subarray(0, startBytes));
  const decoded = start[1] === 0 ? start.toString('utf16le') : decodeFile(start);
  // The part can end within a character.
  const text = (decoded ?? start.toString('latin1')).replace(/^(?:\uFEFF|ï»¿)/u, '');
  const others = isXml === true ? kinds.filter(({ start: form }) => form !== xml) : kinds;
  const found = others.find((kind) => kind.start.test(text) && kind.contains?.test(text) !== false);
  if (found === undefined || wanted.includes(found.name)) return undefined;
  const { name, operation } = found;
  return new UserError({
    input,
    what: `${file} is ${name}, not ${wanted}`,
    remedy:
      operation === undefined
        ? `Name a file in ${wanted} in \`${input}\`.`
        : `Record it with \`${operation}\`, or name a file in ${wanted} in \`${input}\`.`,
  });
}
