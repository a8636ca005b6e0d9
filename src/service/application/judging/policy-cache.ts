import { compilePolicy, type CompiledPolicy } from '../../domain/policy/compile-policy.ts';
import type { PolicyRules } from '../../domain/policy/rules.ts';
import { VersionedCache } from '../../storage/versioned-cache.ts';

/** In characters of the rules as JSON; compiled, they take several times as many bytes. */
const maximumWeight = 4 * 1024 * 1024;

/** The text is the whole input of the compilation, so a cached policy never becomes invalid. */
const version = 0;

/**
 * Caches compiled policies by the text of their rules. The same policies are applied repeatedly, and with the text as
 * the key, a version that was rolled back leaves nothing stale.
 */
export class PolicyCache {
  readonly #cache = new VersionedCache<CompiledPolicy>({ maximumWeight });

  /** @param rulesJson the rules as stored JSON */
  compile(rulesJson: string): CompiledPolicy {
    const known = this.#cache.get(rulesJson, version);
    if (known !== undefined) return known;
    const compiled = compilePolicy(JSON.parse(rulesJson) as PolicyRules);
    this.#cache.set(rulesJson, version, compiled, rulesJson.length);
    return compiled;
  }
}
