import { hash } from 'node:crypto';

/** How many texts there is room for at first. A power of two. */
const initialRoom = 1024;

/** How many bytes of a digest one word holds. */
const wordBytes = 4;

/**
 * Numbers texts in the order in which they first come, and keeps only the beginnings of their SHA-256 digests: a million
 * texts of any length take some ten megabytes. Nobody finds another text with the same first 16 bytes.
 */
export class DigestIndex {
  readonly #words: number;
  /** The digests by number, each of so many words. */
  #digests: Uint32Array;
  /** An open hash table of numbers, each plus 1; 0 is a free place. Never more than half full. */
  #places: Uint32Array;
  readonly #current: Uint32Array;
  #size = 0;

  /** @param bytes how many bytes of each digest are kept: 8 or 16 */
  constructor(bytes: 8 | 16) {
    this.#words = bytes / wordBytes;
    this.#current = new Uint32Array(this.#words);
    this.#digests = new Uint32Array(initialRoom * this.#words);
    this.#places = new Uint32Array(initialRoom * 2);
  }

  /** How many different texts were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds a text unless it is there, and returns its number, from 0. A new one gets the number that `size` was. */
  add(text: string): number {
    const words = this.#wordsOf(text);
    const place = this.#placeOf(words);
    const taken = this.#places[place] ?? 0;
    if (taken > 0) return taken - 1;
    const number = this.#size;
    if ((number + 1) * this.#words > this.#digests.length) {
      this.#grow();
      this.#store(number, words, this.#placeOf(words));
    } else {
      this.#store(number, words, place);
    }
    this.#size += 1;
    return number;
  }

  /** Filled anew for every text, because a list has hundreds of thousands of them. */
  #wordsOf(text: string): Uint32Array {
    // One string is a smaller thing to throw away than a buffer.
    const digest = hash('sha256', text, 'binary');
    for (let index = 0; index < this.#words; index += 1) {
      const at = index * wordBytes;
      const high = (digest.charCodeAt(at) << 8) | digest.charCodeAt(at + 1);
      const low = (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3);
      this.#current[index] = (high << 16) | low;
    }
    return this.#current;
  }

  #store(number: number, words: Uint32Array, place: number): void {
    this.#digests.set(words, number * this.#words);
    this.#places[place] = number + 1;
  }

  /** The place that holds these words, or the free one where they belong. */
  #placeOf(words: Uint32Array): number {
    const mask = this.#places.length - 1;
    // A digest is evenly distributed, so its first word is a hash already.
    let place = (words[0] ?? 0) & mask;
    for (;;) {
      const taken = this.#places[place] ?? 0;
      if (taken === 0 || this.#holds(taken - 1, words)) return place;
      place = (place + 1) & mask;
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
    this.#places = new Uint32Array(this.#places.length * 2);
    for (let number = 0; number < this.#size; number += 1) {
      const start = number * this.#words;
      this.#places[this.#placeOf(before.subarray(start, start + this.#words))] = number + 1;
    }
  }
}
