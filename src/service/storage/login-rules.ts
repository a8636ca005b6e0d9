import type { LoginRule } from '../domain/login-rule.ts';

/** Reads login rules. */
export interface LoginRuleReader {
  find(org: string, name: string): Promise<LoginRule | undefined>;
  /** The rules of the organization, sorted by name. */
  list(org: string): Promise<readonly LoginRule[]>;
}

/** Reads and writes login rules. */
export interface LoginRuleWriter extends LoginRuleReader {
  /** Inserts the rule, or replaces everything of an existing one. The organization must exist. */
  save(rule: LoginRule): Promise<void>;
  delete(org: string, name: string): Promise<'deleted' | 'not found'>;
}
