import { UserError } from '../../runtime/failure.ts';
import { isMapping, type Mapping } from '../../runtime/untrusted-data.ts';

/**
 * A value of a document with its path, for error messages: `items[3].metadata.name`. A key that is absent or null
 * counts as missing, as in Kubernetes.
 */
export class DocumentNode {
  readonly #file: string;
  readonly #path: string;
  readonly #value: unknown;

  /** @param file the document's name, for error messages */
  constructor(file: string, value: unknown, path = '') {
    this.#file = file;
    this.#path = path;
    this.#value = value;
  }

  /** The value of a key. */
  at(key: string): DocumentNode {
    const value = this.mapping();
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return new DocumentNode(this.#file, found, this.#path === '' ? key : `${this.#path}.${key}`);
  }

  get isMissing(): boolean {
    return this.#value === undefined || this.#value === null;
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

  /** The string; empty if the value is missing. */
  textOrEmpty(): string {
    return this.isMissing || this.#value === '' ? '' : this.text();
  }

  /**
   * The items of a list; empty if the value is missing.
   *
   * @throws UserError if the value is not a list
   */
  items(): readonly DocumentNode[] {
    if (this.isMissing) return [];
    if (!Array.isArray(this.#value)) throw this.createError('a list');
    return this.#value.map((item: unknown, index) => new DocumentNode(this.#file, item, `${this.#path}[${index}]`));
  }

  /** Creates the error for a value that is not as expected. */
  createError(expected: string): UserError {
    const found = this.isMissing ? 'is missing' : `is ${describe(this.#value)}`;
    const where = this.#path === '' ? 'the document' : this.#path;
    return new UserError({
      input: 'files',
      what: `${this.#file}: ${where} must be ${expected}, and ${found}`,
      remedy: 'Use the unchanged output of `kubectl get pods -A -o json`.',
    });
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
