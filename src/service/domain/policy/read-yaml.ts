import { constructFromEvents, EVENT_ID, getScalarValue, parseEvents, YAMLException, type Event } from 'js-yaml';
import { messageOf } from '../thrown.ts';

/** A text is not taken as YAML; the message says why. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault';
  /** Counted from 1; undefined where the whole text is to blame. */
  readonly line: number | undefined;

  constructor(reason: string, line?: number, cause?: unknown) {
    super(reason, { cause });
    this.line = line;
  }
}

/** A document that was read, and where its fields stand. */
export interface YamlDocument {
  readonly value: unknown;
  /** The line, from 1, of a field by its dotted keys, or of the nearest one around it that the document has. */
  readonly lineOf: (field: string) => number;
}

// Far beyond any honest policy, and little enough to read at once: aliases can make a small text a huge document.
const limits = { depth: 20, nodes: 20_000, aliases: 100 };

/**
 * Reads one YAML document.
 *
 * @throws YamlFault
 */
export function readYaml(text: string): YamlDocument {
  try {
    const events = parseEvents(text, { maxDepth: limits.depth });
    if (events.length > limits.nodes) throw new YamlFault(`it has more than ${limits.nodes} nodes`);
    const documents = constructFromEvents(events, { source: text, maxAliases: limits.aliases });
    if (documents.length !== 1) throw new YamlFault(`it holds ${documents.length} documents; a policy is one`);
    const offsets = offsetsOf(events, text);
    return { value: documents[0], lineOf: (field) => lineAt(text, nearest(offsets, field)) };
  } catch (error) {
    if (error instanceof YamlFault) throw error;
    if (!(error instanceof YAMLException)) throw new YamlFault(messageOf(error), undefined, error);
    const { reason, mark } = error;
    throw new YamlFault(reason, mark === undefined ? undefined : mark.line + 1, error);
  }
}

/** Where every field begins, by its dotted keys; a key that holds a mapping or list begins at the key. */
function offsetsOf(events: readonly Event[], text: string): ReadonlyMap<string, number> {
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

/** A mapping or list while its content is walked. */
class Collection {
  readonly #isMapping: boolean;
  readonly #field: string;
  #key: string | undefined;
  #items = 0;
  /** Where the current key of a mapping begins. */
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

  /** The field of the next value. A key that is itself a collection counts as an empty name. */
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

function nearest(offsets: ReadonlyMap<string, number>, field: string): number {
  for (let around = field; around !== ''; around = around.slice(0, Math.max(0, around.lastIndexOf('.')))) {
    const offset = offsets.get(around);
    if (offset !== undefined) return offset;
  }
  return 0;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
