/** The encodings in which XML is read, as `TextDecoder` calls them. */
export type XmlEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** How far into a file its XML declaration can reach, in bytes. */
const declarationBytes = 512;

/**
 * Detects the encoding of an XML document from its first bytes (XML 1.0, appendix F): a byte order mark, the zero bytes
 * of UTF-16, or the XML declaration. UTF-8 if nothing says otherwise.
 *
 * @returns the encoding, or the name of one that is not supported
 */
export function detectXmlEncoding(
  start: Uint8Array,
): { readonly encoding: XmlEncoding } | { readonly unsupported: string } {
  const [first, second] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return { encoding: 'utf-16le' };
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return { encoding: 'utf-16be' };
  const beginning = Buffer.from(start.subarray(0, declarationBytes)).toString('latin1');
  const declared = /^(?:ï»¿)?\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/u.exec(beginning)?.[1];
  if (declared === undefined || /^(?:utf-?8|us-ascii|ascii)$/iu.test(declared)) return { encoding: 'utf-8' };
  return { unsupported: declared };
}
