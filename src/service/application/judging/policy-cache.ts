import { compilePolicy, type CompiledPolicy } from '../../domain/policy/compile-policy.ts';
import type { PolicyRules } from '../../domain/policy/rules.ts';

/** How many characters the rules of the kept policies may have; compiled they take several times as many bytes. */
const maximumCharacters = 4 * 1024 * 1024;

/**
 * Policies as they were compiled last, by the text of their rules: the same ones judge again and again, and a version that
 * was rolled back leaves nothing wrong here.
 */
export class PolicyCache {
  /** The one that was asked for longest ago comes first. */
  readonly #entries = new Map<string, CompiledPolicy>();
  #characters = 0;

  /** @param written the rules as they are stored */
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
