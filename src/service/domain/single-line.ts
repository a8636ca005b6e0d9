/** Longer texts are cut where they are shown in messages and logs, in characters. */
export const maximumShownLength = 500;

/** Control and format characters (line breaks, escapes, text direction), line separators, and halves of characters. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const familiar: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A foreign text as part of one line of a message or log: whatever could begin another line, change the direction of the
 * text or be invisible is written as an escape (`\n`, `\u{202e}`), and a long text ends in `…`.
 */
export function toSingleLine(text: string, maximumLength = maximumShownLength): string {
  const shown = text.length > maximumLength ? `${text.slice(0, maximumLength - 1)}…` : text;
  return shown.replace(
    unsafe,
    (character) => familiar[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
