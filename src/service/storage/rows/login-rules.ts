import type { LoginRule } from '../../domain/login-rule.ts';
import { number, text, type Row } from '../rows.ts';

/** The columns of a rule that have no condition. */
type Columns = 'org' | 'name' | 'createdAt' | 'createdBy' | 'lastModifiedAt';

/** Converts a row to a login rule. */
export function toLoginRule(row: Row): LoginRule {
  return {
    // Written by this service.
    ...(JSON.parse(text(row, 'conditions')) as Omit<LoginRule, Columns>),
    org: text(row, 'org'),
    name: text(row, 'name'),
    createdAt: number(row, 'created_at'),
    createdBy: text(row, 'created_by'),
    lastModifiedAt: number(row, 'last_modified_at'),
  };
}
