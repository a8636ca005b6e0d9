import { compilePolicy, type CompiledPolicy } from '../../policy/compile-policy.ts';
import type { PolicyRules } from '../../policy/policy-rules.ts';

/** In characters of the rules as JSON; compiled, they take several times as many bytes. */
const maximumLength = 4 * 1024 * 1024;

/**
 * Caches compiled policies by the text of their rules, which is the whole input of the compilation: a cached policy never
 * becomes invalid. If they exceed the maximum, the least recently used ones are removed.
 */
export class PolicyCache {
  /** Least recently used first. */
  readonly #compiled = new Map<string, CompiledPolicy>();
  #length = 0;

  /** @param rulesJson the rules as stored JSON */
  compile(rulesJson: string): CompiledPolicy {
    const known = this.#compiled.get(rulesJson);
    const compiled = known ?? compilePolicy(JSON.parse(rulesJson) as PolicyRules);
    if (known === undefined) this.#length += rulesJson.length;
    else this.#compiled.delete(rulesJson);
    this.#compiled.set(rulesJson, compiled);
    this.#removeOldest();
    return compiled;
  }

  #removeOldest(): void {
    for (const oldest of this.#compiled.keys()) {
      if (this.#length <= maximumLength) return;
      this.#compiled.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}
