import sax from 'sax';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { UserError } from '../../runtime/failure.ts';
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
 * The maximum length of an attribute, a comment and so on, in characters. It is a setting of the whole package; its
 * default of 64 KiB is less than what some tools write into the message of a failed test.
 */
sax.MAX_BUFFER_LENGTH = 8 * 1024 * 1024;

/** The maximum number of attributes of an element, which are held in memory together. */
const maximumAttributes = 1000;

/** The maximum depth of elements. */
const maximumDepth = 100;

/** Why a document is refused: the end of a sentence that begins with the file and the line, and the remedy. */
export interface XmlRefusal {
  readonly what: string;
  readonly remedy: string;
}

/** What a document consists of, as it is read. A method returns a refusal to end the reading. */
export interface XmlHandler {
  /** @param name without its namespace prefix */
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
  const hasRoot = connect(parser, handler, refuse);
  let decode: Decode | undefined;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    decode ??= createDecoder(name, chunk);
    parser.write(withoutNul(decode(chunk)));
  }
  if (decode !== undefined) parser.write(decode());
  parser.close();
  if (!hasRoot()) throw createXmlError(`${name} is empty`, 'Check that the tests ran and wrote their results.');
}

/** Connects the parser's events. Returns a function that says whether an element was opened. */
function connect(
  parser: sax.SAXParser,
  handler: XmlHandler,
  refuse: (refusal: XmlRefusal | undefined) => void,
): () => boolean {
  let depth = 0;
  let roots = 0;
  let attributes = 0;
  parser.onerror = ({ message }) => {
    refuse({ what: `it is not well-formed XML (${toOneLine(message)})`, remedy: rewriteRemedy });
  };
  parser.ondoctype = (text) => {
    // The internal subset (in brackets) can define entities.
    if (text.includes('[')) refuse(entitiesRefusal);
  };
  parser.onopentagstart = () => {
    attributes = 0;
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > maximumAttributes)
      refuse({ what: `an element has more than ${maximumAttributes} attributes`, remedy: sizeRemedy });
  };
  parser.onopentag = (tag) => {
    depth += 1;
    if (depth === 1) roots += 1;
    if (roots > 1) refuse({ what: 'there is a second document after the end of the first', remedy: rewriteRemedy });
    if (depth > maximumDepth)
      refuse({ what: `elements are nested more than ${maximumDepth} deep`, remedy: sizeRemedy });
    refuse(handler.open(withoutPrefix(tag.name), toAttributes(tag.attributes)));
  };
  parser.onclosetag = () => {
    depth -= 1;
    refuse(handler.close());
  };
  parser.ontext = (text) => {
    handler.text(text);
  };
  parser.oncdata = (text) => {
    handler.text(text);
  };
  return () => roots > 0;
}

const sizeRemedy = 'Check which tool wrote the file: test results do not have this form.';

const entitiesRefusal: XmlRefusal = {
  what: 'the DOCTYPE has an internal subset, which can define entities, so it is refused',
  remedy: 'Remove the DOCTYPE; test results need none.',
};

function toAttributes(attributes: Mapping): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(attributes).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
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
  return new UserError({ input: 'junit-path', what, remedy }, { cause });
}
