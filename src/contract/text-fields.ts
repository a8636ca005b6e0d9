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

/** A description or a comment. */
export function longText(options: Options = {}): TString {
  return Type.String({ maxLength: maximumTextLength, ...options });
}
