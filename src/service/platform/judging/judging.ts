import { LRUCache } from 'lru-cache';
import { EventLoopTurns } from '../../../runtime/event-loop-turns.ts';
import { type CompiledPolicy, compilePolicy } from '../../policy/compile-policy.ts';
import type { PolicyRules } from '../../policy/policy-rules.ts';
import { KnownMatches, MissingMatchesError, prepareMatches } from '../../requirement/judgement-budget.ts';
import type { ReadTransaction, Storage, TransactionOptions, WriteTransaction } from '../database/storage.ts';
import { DataJudging } from './data-judging.ts';

/** State that all judging in a process shares. */
export class Judging {
  /** Long pattern matching is done in portions, which take turns with each other. */
  readonly turns = new EventLoopTurns();
  readonly policies = new PolicyCache();
  readonly data = new DataJudging();
}

/** How much memory compiled policies may take, in bytes: an eighth of a small heap. */
const maximumBytes = 32 * 1024 * 1024;

/**
 * Caches compiled policies by the text of their rules, which is the whole input of the compilation: a cached policy never
 * becomes invalid.
 */
export class PolicyCache {
  readonly #compiled = new LRUCache<string, CompiledPolicy>({
    maxSize: maximumBytes,
    // Each character of the text may take two bytes.
    sizeCalculation: ({ bytes }, rulesJson) => bytes + 2 * rulesJson.length,
  });

  compile(rulesJson: string): CompiledPolicy {
    const known = this.#compiled.get(rulesJson);
    if (known !== undefined) return known;
    const compiled = compilePolicy(JSON.parse(rulesJson) as PolicyRules);
    this.#compiled.set(rulesJson, compiled);
    return compiled;
  }
}

export interface JudgingDependencies {
  readonly storage: Storage;
  readonly judging: Judging;
}

export interface JudgingContext {
  readonly matches: KnownMatches;
  readonly policies: PolicyCache;
}

/**
 * Runs a transaction that may judge environments of an organization. A transaction cannot pause. If it needs much
 * pattern matching, it is rolled back, the matching is done in portions between other work, and the transaction is run
 * again with the results.
 */
export function runJudgingTransaction<Result>(
  { storage, judging }: JudgingDependencies,
  org: string,
  work: (transaction: WriteTransaction, context: JudgingContext) => Promise<Result>,
  options?: TransactionOptions,
): Promise<Result> {
  return repeatWithMatches(judging, (context) =>
    storage.transaction(org, (transaction) => work(transaction, context), options),
  );
}

/** Like `runJudgingTransaction`, for a transaction that only reads. */
export function readJudging<Result>(
  { storage, judging }: JudgingDependencies,
  work: (transaction: ReadTransaction, context: JudgingContext) => Promise<Result>,
): Promise<Result> {
  return repeatWithMatches(judging, (context) => storage.read((transaction) => work(transaction, context)));
}

async function repeatWithMatches<Result>(
  { turns, policies }: Judging,
  attempt: (context: JudgingContext) => Promise<Result>,
): Promise<Result> {
  const matches = new KnownMatches();
  for (;;) {
    try {
      return await attempt({ matches, policies });
    } catch (error) {
      if (!(error instanceof MissingMatchesError)) throw error;
      await prepareMatches(matches, error.needed, () => turns.next());
    }
  }
}
