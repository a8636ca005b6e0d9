import { compilePolicy, type CompiledPolicy } from '../../domain/policy/compile-policy.ts';
import type { PolicyRules } from '../../domain/policy/rules.ts';

/** In characters of the rules as JSON; compiled, they take several times as many bytes. */
const maximumCharacters = 4 * 1024 * 1024;

/**
 * Caches compiled policies by the text of their rules. The same policies are applied repeatedly, and with the text as
 * the key, a version that was rolled back leaves nothing stale.
 */
export class PolicyCache {
  /** Least recently used first. */
  readonly #entries = new Map<string, CompiledPolicy>();
  #characters = 0;

  /** @param written the rules as stored JSON */
  compile(written: string): CompiledPolicy {
    const known = this.#entries.get(written);
    if (known !== undefined) {
      this.#entries.delete(written);
      this.#entries.set(written, known);
      return known;
    }
    const compiled = compilePolicy(JSON.parse(written) as PolicyRules);
    this.#entries.set(written, compiled);
    this.#characters += written.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= maximumCharacters) break;
      this.#entries.delete(oldest);
      this.#characters -= oldest.length;
    }
    return compiled;
  }
}
