import { truncate } from '../../runtime/truncate.ts';

/** The default maximum length of foreign text in messages and logs, in characters. */
export const maximumShownLength = 500;

/** Control and format characters (line breaks, escapes, text direction), line separators, and lone surrogates. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const familiar: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes foreign text safe to show within one line of a message or log: characters that could start a new line, change
 * the text direction or be invisible are escaped (` `, `\u{202e}`), and long text is truncated with `…`.
 */
export function toSingleLine(text: string, maximumLength = maximumShownLength): string {
  return truncate(text, maximumLength).replace(
    unsafe,
    (character) => familiar[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
