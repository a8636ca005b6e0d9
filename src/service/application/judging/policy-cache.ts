import { compilePolicy, type CompiledPolicy } from '../../domain/policy/compile-policy.ts';
import type { PolicyRules } from '../../domain/policy/rules.ts';
import { VersionedCache } from '../../storage/versioned-cache.ts';

/** In characters of the rules as JSON; compiled, they take several times as many bytes. */
const maximumWeight = 4 * 1024 * 1024;

/** Compilation depends on the text only, so a cached policy never becomes invalid. */
const version = 0;

/**
 * Caches compiled policies by the text of their rules, because the same policies are applied again and again. A version
 * that was rolled back does no harm, because its text is its key.
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
