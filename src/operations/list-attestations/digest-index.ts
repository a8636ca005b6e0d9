import { hash } from 'node:crypto';

/** The initial capacity; a power of two. */
const initialRoom = 1024;

/** Bytes per word. */
const wordBytes = 4;

/**
 * Numbers different texts in the order of their first appearance. It keeps only the first bytes of their SHA-256
 * digests, so a million texts take about ten megabytes. A collision of 16 bytes cannot be constructed.
 */
export class DigestIndex {
  readonly #words: number;
  /** The digests by number, `#words` words each. */
  #digests: Uint32Array;
  /** A hash table with open addressing: numbers plus 1; 0 is free. At most half full. */
  #slots: Uint32Array;
  readonly #current: Uint32Array;
  #size = 0;

  /** @param bytes how many bytes of each digest are kept: 8 or 16 */
  constructor(bytes: 8 | 16) {
    this.#words = bytes / wordBytes;
    this.#current = new Uint32Array(this.#words);
    this.#digests = new Uint32Array(initialRoom * this.#words);
    this.#slots = new Uint32Array(initialRoom * 2);
  }

  /** How many different texts were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds a text if it is new, and returns its number, from 0. A new text gets the previous `size` as its number. */
  add(text: string): number {
    if ((this.#size + 1) * this.#words > this.#digests.length) this.#grow();
    const words = this.#toWords(text);
    const slot = this.#findSlot(words);
    const taken = this.#slots[slot] ?? 0;
    if (taken > 0) return taken - 1;
    this.#digests.set(words, this.#size * this.#words);
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return this.#size - 1;
  }

  /** Reuses one array, because a list has hundreds of thousands of texts. */
  #toWords(text: string): Uint32Array {
    // A string is cheaper to collect than a buffer.
    const digest = hash('sha256', text, 'binary');
    for (let index = 0; index < this.#words; index += 1) {
      const at = index * wordBytes;
      const high = (digest.charCodeAt(at) << 8) | digest.charCodeAt(at + 1);
      const low = (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3);
      this.#current[index] = (high << 16) | low;
    }
    return this.#current;
  }

  /** The slot that has these words, or the free slot for them. */
  #findSlot(words: Uint32Array): number {
    const mask = this.#slots.length - 1;
    // A digest is evenly distributed, so its first word serves as the hash.
    let slot = (words[0] ?? 0) & mask;
    for (;;) {
      const taken = this.#slots[slot] ?? 0;
      if (taken === 0 || this.#holds(taken - 1, words)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #holds(number: number, words: Uint32Array): boolean {
    const start = number * this.#words;
    for (let index = 0; index < this.#words; index += 1) {
      if (this.#digests[start + index] !== words[index]) return false;
    }
    return true;
  }

  #grow(): void {
    const before = this.#digests;
    this.#digests = new Uint32Array(before.length * 2);
    this.#digests.set(before);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#size; number += 1) {
      const start = number * this.#words;
      this.#slots[this.#findSlot(before.subarray(start, start + this.#words))] = number + 1;
    }
  }
}
