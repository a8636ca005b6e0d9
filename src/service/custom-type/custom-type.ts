import type { CustomTypeRules } from '../../contract/custom-type.ts';

export interface CustomTypeDefinition extends CustomTypeRules {
  /** A JSON Schema as JSON; undefined if all data is valid. */
  readonly schema?: string | undefined;
}

export interface CustomTypeVersion {
  /** Counts from 1. */
  readonly version: number;
  /** Undefined if it is not read. */
  readonly definition?: CustomTypeDefinition | undefined;
  readonly createdAt: number;
  readonly createdBy: string;
}

export interface CustomType {
  readonly org: string;
  readonly name: string;
  readonly description: string;
  readonly isArchived: boolean;
  /** The latest is the last one. There is at least one. */
  readonly versions: readonly CustomTypeVersion[];
}
