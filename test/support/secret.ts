import fc from 'fast-check';

/**
 * A key or token: at least eight visible ASCII characters. Without asterisks, which replace redacted secrets, and
 * without quotes and backslashes, with which the JSON of other texts could look like a secret.
 */
export function aSecret(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[!#-)+-[\]-~]{8,40}$/u);
}

/** All forms in which a secret could leak: plain, as basic credentials, in base64, in a URL, in JSON, in HTML. */
export function formsOf(secret: string): readonly string[] {
  const html: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return [
    secret,
    Buffer.from(`${secret}:`).toString('base64'),
    Buffer.from(secret).toString('base64'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll(/[&<>"']/gu, (character) => html[character] ?? ''),
  ];
}

/** A text that contains some of these pieces among other characters. */
export function textAround(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 8 }).map((parts) => parts.join(''));
}
