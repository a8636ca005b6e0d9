import { constructFromEvents, type Event, EVENT_ID, getScalarValue, parseEvents, YAMLException } from 'js-yaml';
import { errorMessage } from '../../../runtime/failure.ts';

/** The text is invalid YAML or exceeds a limit; the message says why. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Counted from 1; undefined if the error concerns the whole text. */
  readonly line: number | undefined;

  constructor(reason: string, line?: number, cause?: unknown) {
    super(reason, { cause });
    this.line = line;
  }
}

/** A parsed document with the lines of its fields. */
export interface YamlDocument {
  readonly value: unknown;
  /** Returns the line (from 1) of a field by its dotted path, or of the nearest enclosing field in the document. */
  readonly findLine: (field: string) => number;
}

/**
 * Limits far above any real policy, but low enough to parse the file in one go. The parser spends time and memory on
 * every node and cannot be interrupted, so lines, content and separators of nodes are counted first.
 */
export const yamlLimits = {
  depth: 20,
  /** Aliases can expand a small text to a huge document. */
  aliases: 100,
  lines: 200_000,
  /** In characters, not counting blank lines and comment lines. */
  content: 256 * 1024,
  /** Line breaks, and `,`, `[`, `{` and `?`. */
  marks: 5_000,
} as const;

/** @throws YamlError */
export function readYaml(text: string): YamlDocument {
  try {
    requireSmall(text);
    const events = parseEvents(text, { maxDepth: yamlLimits.depth });
    const documents = constructFromEvents(events, { source: text, maxAliases: yamlLimits.aliases });
    if (documents.length === 0) throw new YamlError('it is empty');
    if (documents.length > 1) throw new YamlError(`it has ${documents.length} documents instead of one`);
    const offsets = findOffsets(events, text);
    return { value: documents[0], findLine: (field) => toLineNumber(text, findOffset(offsets, field)) };
  } catch (error) {
    if (error instanceof YamlError) throw error;
    if (!(error instanceof YAMLException)) throw new YamlError(errorMessage(error), undefined, error);
    const { reason, mark } = error;
    throw new YamlError(reason, mark === undefined ? undefined : mark.line + 1, error);
  }
}

/** @throws YamlError with the line at which a limit is exceeded */
function requireSmall(text: string): void {
  let content = 0;
  let marks = 0;
  let line = 0;
  for (let start = 0; start < text.length; line += 1) {
    if (line === yamlLimits.lines) throw new YamlError(`it has more than ${yamlLimits.lines} lines`, line + 1);
    const end = text.indexOf('\n', start);
    const next = end === -1 ? text.length : end + 1;
    if (!isBlankOrComment(text, start, next)) {
      content += next - start;
      if (content > yamlLimits.content) {
        const rule = `it has more than ${yamlLimits.content} characters that are not comments`;
        throw new YamlError(rule, line + 1);
      }
      marks += countMarks(text, start, next);
      if (marks > yamlLimits.marks) throw new YamlError(`it has more than ${yamlLimits.marks} values`, line + 1);
    }
    start = next;
  }
}

function isBlankOrComment(text: string, start: number, end: number): boolean {
  let index = start;
  while (index < end && ' \t\r\n'.includes(text.charAt(index))) index += 1;
  return index === end || text.charAt(index) === '#';
}

function countMarks(text: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if ('\n,[{?'.includes(text.charAt(index))) count += 1;
  }
  return count;
}

/** The offset of every field by its dotted path; a mapping or list begins at its key. */
function findOffsets(events: readonly Event[], text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const open: Collection[] = [];
  const place = (start: number): string => {
    const field = open.at(-1)?.enter(start) ?? '';
    if (field !== '' && !offsets.has(field)) offsets.set(field, open.at(-1)?.keyStart ?? start);
    return field;
  };
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        open.push(new Collection(event.type === EVENT_ID.MAPPING, place(event.start)));
        break;
      case EVENT_ID.SCALAR: {
        const collection = open.at(-1);
        if (collection?.expectsKey === true) collection.takeKey(getScalarValue(text, event), event.valueStart);
        else place(event.valueStart);
        break;
      }
      case EVENT_ID.ALIAS:
        place(event.anchorStart);
        break;
      case EVENT_ID.POP:
        open.pop();
        break;
      case EVENT_ID.DOCUMENT:
        break;
    }
  }
  return offsets;
}

/** A mapping or list that is being traversed. */
class Collection {
  readonly #isMapping: boolean;
  readonly #field: string;
  #key: string | undefined;
  #items = 0;
  /** The offset of the current key of a mapping. */
  keyStart: number | undefined;

  constructor(isMapping: boolean, field: string) {
    this.#isMapping = isMapping;
    this.#field = field;
  }

  get expectsKey(): boolean {
    return this.#isMapping && this.#key === undefined;
  }

  takeKey(key: string, start: number): void {
    this.#key = key;
    this.keyStart = start;
  }

  /** Returns the path of the next value. A key that is itself a collection counts as an empty name. */
  enter(start: number): string {
    if (this.expectsKey) {
      this.takeKey('', start);
      return '';
    }
    const name = this.#isMapping ? (this.#key ?? '') : String(this.#items);
    this.#key = undefined;
    this.#items += 1;
    return this.#field === '' ? name : `${this.#field}.${name}`;
  }
}

/** The fields of a policy are a few keys deep, but a key can contain any number of dots. */
const maximumFieldDepth = 8;

/** The offset of a field, or of the nearest enclosing field. */
function findOffset(offsets: ReadonlyMap<string, number>, field: string): number {
  const keys = field.split('.', maximumFieldDepth);
  for (const around of [field, ...keys.map((_, index) => keys.slice(0, keys.length - index).join('.'))]) {
    const offset = offsets.get(around);
    if (offset !== undefined) return offset;
  }
  return 0;
}

function toLineNumber(text: string, offset: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}
