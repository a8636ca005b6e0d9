import sax from 'sax';
import { UserError } from '../../runtime/failure.ts';
import { truncate } from '../../runtime/truncate.ts';
import { wrongKindError } from '../files/document-kind.ts';
import { detectXmlEncoding } from './xml-encoding.ts';

// What @types/sax omits.
declare module 'sax' {
  let MAX_BUFFER_LENGTH: number;
  interface SAXOptions {
    /** Knows the five entities of XML only, and not those of HTML. */
    strictEntities?: boolean;
  }
}

/**
 * The maximum length of the attributes of all open elements together, and of a comment, a DOCTYPE and so on, in
 * characters. The parser takes 32 bytes of memory for each, and a second for two million. Its own default of 64 KiB is
 * less than what some tools write into the message of a failed test. It is a setting of the whole package.
 */
const maximumMarkup = 512 * 1024;
sax.MAX_BUFFER_LENGTH = maximumMarkup;

const maximumAttributes = 1000;

/** The maximum length of an attribute that is handed on, in characters; the rest is cut. */
const maximumAttributeLength = 2048;

const maximumDepth = 100;

/** Why a document is refused: the end of a sentence that begins with the file and the line, and the remedy. */
export interface XmlRefusal {
  readonly what: string;
  readonly remedy: string;
}

/** What a document consists of, as it is read. A method returns a refusal to end the reading. */
export interface XmlHandler {
  /**
   * @param name in lower case, without its namespace prefix
   * @param attributes with their names in lower case; long values are cut, and then end with `…`
   */
  open(name: string, attributes: ReadonlyMap<string, string>): XmlRefusal | undefined;
  /** The end of the element that was opened last. */
  close(): XmlRefusal | undefined;
  /** A piece of the text or CDATA in the current element. */
  text(text: string): void;
}

const rewriteRemedy = 'Write the file again: the tool that writes it may have been stopped before the end.';

/**
 * Reads an XML document in UTF-8 or UTF-16 without holding it in memory. Definitions of entities are refused,
 * because entities can expand without limit or name files. External entities are never loaded.
 *
 * @param name the file, for errors
 * @param chunks its bytes
 * @throws UserError for a document that is empty, not well-formed, in another encoding, or refused by the handler, with
 * the line; whatever reading the chunks throws
 */
export async function readXml(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  signal?: AbortSignal,
): Promise<void> {
  const parser = new sax.SAXParser(true, { strictEntities: true });
  const refuse = (refusal: XmlRefusal | undefined): void => {
    if (refusal !== undefined)
      throw createXmlError(`${name}, line ${parser.line + 1}: ${refusal.what}`, refusal.remedy);
  };
  const { hasRoot, checkMarkup } = connect(parser, handler, refuse);
  let decode: Decode | undefined;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    decode ??= createDecoder(name, chunk);
    parser.write(withoutNul(decode(chunk)));
    checkMarkup();
  }
  if (decode !== undefined) parser.write(decode());
  parser.close();
  if (!hasRoot()) throw createXmlError(`${name} is empty`, 'Check that the tests ran and wrote their results.');
}

/** Connects the parser's events. `checkMarkup` refuses a tag that is too long before it ends. */
function connect(
  parser: sax.SAXParser,
  handler: XmlHandler,
  refuse: (refusal: XmlRefusal | undefined) => void,
): { readonly hasRoot: () => boolean; readonly checkMarkup: () => void } {
  const open: number[] = [];
  let openLength = 0;
  /** Where the current tag begins; undefined outside of tags. */
  let tagStart: number | undefined;
  let roots = 0;
  let attributes = new Map<string, string>();
  const checkMarkup = (): void => {
    const length = openLength + (tagStart === undefined ? 0 : parser.position - tagStart);
    if (length > maximumMarkup) refuse(markupRefusal);
  };
  parser.onerror = ({ message }) => {
    if (message.startsWith('Max buffer length exceeded')) refuse(markupRefusal);
    refuse({ what: `it is not well-formed XML (${toOneLine(message)})`, remedy: rewriteRemedy });
  };
  parser.ondoctype = (text) => {
    // The internal subset (in brackets) can define entities.
    if (text.includes('[')) refuse(entitiesRefusal);
  };
  parser.onopentagstart = () => {
    tagStart = parser.position;
    attributes = new Map();
  };
  parser.onattribute = ({ name, value }) => {
    const lowered = name.toLowerCase();
    // Of two spellings, the usual one counts.
    if (name === lowered || !attributes.has(lowered)) attributes.set(lowered, shorten(value));
    if (attributes.size > maximumAttributes)
      refuse({ what: `an element has more than ${maximumAttributes} attributes`, remedy: sizeRemedy });
  };
  parser.onopentag = (tag) => {
    checkMarkup();
    // The parser keeps it as long as the element is open.
    tag.attributes = {};
    const length = parser.position - (tagStart ?? parser.position);
    tagStart = undefined;
    openLength += length;
    open.push(length);
    if (open.length === 1) roots += 1;
    if (roots > 1) refuse({ what: 'there is a second document after the end of the first', remedy: rewriteRemedy });
    if (open.length > maximumDepth)
      refuse({ what: `elements are nested more than ${maximumDepth} deep`, remedy: sizeRemedy });
    refuse(handler.open(withoutPrefix(tag.name).toLowerCase(), attributes));
  };
  parser.onclosetag = () => {
    openLength -= open.pop() ?? 0;
    refuse(handler.close());
  };
  parser.ontext = (text) => {
    handler.text(text);
  };
  parser.oncdata = (text) => {
    handler.text(text);
  };
  return { hasRoot: () => roots > 0, checkMarkup };
}

const sizeRemedy = 'Check which tool wrote the file: test results do not have this form.';

const markupRefusal: XmlRefusal = {
  what: `a DOCTYPE, a comment, or the attributes of the open elements have more than ${maximumMarkup.toLocaleString('en-US')} characters`,
  remedy: `${sizeRemedy} Put long texts into elements.`,
};

const entitiesRefusal: XmlRefusal = {
  what: 'the DOCTYPE has an internal subset, which can define entities, so it is refused',
  remedy: 'Remove the DOCTYPE; test results need none.',
};

/** A copy, because a part of a text keeps all of it in memory. */
function shorten(value: string): string {
  return value.length <= 256 ? value : Buffer.from(truncate(value, maximumAttributeLength)).toString();
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The parser's message without the lines that follow it, with the position and the character. */
function toOneLine(message: string): string {
  return message
    .split('\n', 1)
    .join('')
    .replace(/\.$/u, '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200);
}

/**
 * XML does not allow NUL, but the parser does not notice it. NUL is replaced instead of refused, because it is usually
 * part of the output of a test; the service rejects texts that contain it.
 */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

/** Decodes a chunk; without one, the rest of the input. */
type Decode = (chunk?: Uint8Array) => string;

function createDecoder(name: string, start: Uint8Array): Decode {
  const wrong = wrongKindError(name, start, { input: 'junit-path', wanted: 'JUnit XML', isXml: true });
  if (wrong !== undefined) throw wrong;
  const detected = detectXmlEncoding(start);
  if ('unsupported' in detected) {
    throw createXmlError(
      `${name} has the encoding ${detected.unsupported}, but only UTF-8 and UTF-16 are read`,
      'Let the tests write their results in UTF-8, which is the default of most tools.',
    );
  }
  const decoder = new TextDecoder(detected.encoding, { fatal: true });
  return (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (thrown) {
      const encoding = detected.encoding.toUpperCase();
      throw createXmlError(`${name} is not valid ${encoding}`, 'Write the file in UTF-8.', thrown);
    }
  };
}

function createXmlError(what: string, remedy: string, cause?: unknown): UserError {
  return new UserError({ input: 'junit-path', what, remedy, cause });
}
