import { isoSeconds } from '../../contract/snapshot-expression.ts';
import { UserError } from '../../runtime/failure.ts';
import { isMapping, type Mapping } from '../../runtime/untrusted-data.ts';

/** Where a document comes from, for error messages. */
export interface DocumentSource {
  readonly file: string;
  /** The command that prints such a document. */
  readonly command: string;
}

/**
 * A value of a document with its path, for error messages: `items[3].metadata.name`. A key that is absent or null
 * counts as missing, as in Kubernetes.
 */
export class DocumentNode {
  readonly #source: DocumentSource;
  readonly #path: string;
  readonly #value: unknown;

  constructor(source: DocumentSource, value: unknown, path = '') {
    this.#source = source;
    this.#path = path;
    this.#value = value;
  }

  at(key: string): DocumentNode {
    const value = this.mapping();
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return new DocumentNode(this.#source, found, this.#path === '' ? key : `${this.#path}.${key}`);
  }

  get isMissing(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  get isTrue(): boolean {
    return this.#value === true;
  }

  /** @throws UserError if the value is not an object */
  mapping(): Mapping {
    if (isMapping(this.#value)) return this.#value;
    throw this.createError('an object');
  }

  /** @throws UserError if the value is not a string, or is empty */
  text(): string {
    if (typeof this.#value === 'string' && this.#value !== '') return this.#value;
    throw this.createError('a text');
  }

  textOrEmpty(): string {
    return this.isMissing || this.#value === '' ? '' : this.text();
  }

  /**
   * The items of a list; empty if the value is missing.
   *
   * @throws UserError if the value is not a list
   */
  items(): readonly DocumentNode[] {
    return this.isMissing ? [] : this.list();
  }

  /**
   * The items of a list that must not be missing, because its absence would mean that nothing runs.
   *
   * @throws UserError if the value is not a list
   */
  list(): readonly DocumentNode[] {
    if (!Array.isArray(this.#value)) throw this.createError('a list');
    const items: readonly unknown[] = this.#value;
    return items.map((item, index) => new DocumentNode(this.#source, item, `${this.#path}[${index}]`));
  }

  /**
   * Checks that a list ends here. The value is the token of the next page, whose items would count as stopped.
   *
   * @throws UserError if the value is neither missing nor empty
   */
  requireEnd(): void {
    if (this.textOrEmpty() !== '') throw this.createError('absent, because a report needs the whole list');
  }

  /** The items of a list; else the value alone. */
  listOrItself(): readonly DocumentNode[] {
    return Array.isArray(this.#value) ? this.list() : [this];
  }

  /**
   * A time in Unix seconds: a number of seconds, or ISO 8601, in UTC if it has no zone.
   *
   * @throws UserError if the value is neither
   */
  seconds(): number {
    if (typeof this.#value === 'number' && this.#value >= 0) return Math.floor(this.#value);
    // AWS Lambda writes zones without a colon.
    const seconds = isoSeconds(this.text().replace(/([+-]\d{2})(\d{2})$/u, '$1:$2'));
    if (seconds === undefined) throw this.createError('a time such as 2026-01-02T03:04:05Z');
    return seconds;
  }

  createError(expected: string): UserError {
    const found = this.isMissing ? 'is missing' : `is ${describe(this.#value)}`;
    const where = this.#path === '' ? 'the document' : this.#path;
    return new UserError({
      input: 'files',
      what: `${this.#source.file}: ${where} must be ${expected}, and ${found}`,
      remedy: `Use the unchanged output of \`${this.#source.command}\`.`,
    });
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
