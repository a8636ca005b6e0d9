import fc from 'fast-check';

/**
 * A key or token: eight and more visible ASCII characters. No asterisk, which is what a hidden secret is replaced by
 * and would make a new one of it; no quote and no backslash, with which the JSON of other texts can look like a key.
 */
export function aSecret(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[!#-)+-[\]-~]{8,40}$/u);
}

/** Every form in which a secret would give itself away: plain, basic, in base64, in an address, in JSON, in HTML. */
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

/** A text in which some of these stand between other things. */
export function textAround(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 8 }).map((parts) => parts.join(''));
}
