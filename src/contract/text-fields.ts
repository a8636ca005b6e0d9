import type { TString } from 'typebox';
import { maximumAddressLength, maximumLineLength, maximumTextLength } from './limits.ts';
import { Type } from './schema.ts';

type Options = Parameters<typeof Type.String>[0];

/** A short text: a title, a person, a branch, a path, a value from another tool. */
export function lineText(options: Options = {}): TString {
  return Type.String({ maxLength: maximumLineLength, ...options });
}

/** The URL of a page or a repository. Only its length is checked. */
export function addressText(options: Options = {}): TString {
  return Type.String({ maxLength: maximumAddressLength, ...options });
}

/** A day in UTC: `2027-01-01`. */
export function dayText(options: Options = {}): TString {
  return Type.String({ pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$', ...options });
}

/** A description or a comment. */
export function longText(options: Options = {}): TString {
  return Type.String({ maxLength: maximumTextLength, ...options });
}
