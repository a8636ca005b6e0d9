import { escapeHtmlLine } from './escape.ts';

/** The secrets of a step, and how to redact them. */
export interface Secrets {
  /** Every encoding of every secret, for the runner to mask as well. */
  readonly forms: readonly string[];
  /** Replaces every secret in a text with `***`. */
  readonly redact: (text: string) => string;
  /** Adds a secret that the step got while it ran, to the forms as well. */
  readonly add: (value: string) => void;
}

/**
 * Collects the secrets of a step. The runner masks only its log, so the action redacts summaries, outputs and files
 * itself: a service may repeat a key in its response.
 */
export function collectSecrets(values: readonly string[]): Secrets {
  const forms: string[] = [];
  const add = (more: readonly string[]): void => {
    const all = new Set([...forms, ...more.flatMap(encodedForms)]);
    // The longest first, so that a secret that starts with another one is replaced as a whole.
    forms.splice(0, forms.length, ...[...all].sort((a, b) => b.length - a.length));
  };
  add(values);
  return {
    forms,
    add: (value) => {
      add([value]);
    },
    redact: (text) => forms.reduce((clean, form) => clean.replaceAll(form, '***'), text),
  };
}

/** A key in plain text, in a basic authentication header, and encoded as base64, URL, JSON and HTML. */
function encodedForms(value: string): readonly string[] {
  if (value === '') return [];
  const inAddress = encodeURIComponent(value.toWellFormed());
  return [
    value,
    Buffer.from(`${value}:`, 'utf8').toString('base64'),
    Buffer.from(value, 'utf8').toString('base64'),
    ...[0, 1, 2].flatMap((offset) => base64Within(value, offset)),
    inAddress,
    inAddress.replaceAll(/%[0-9A-F]{2}/gu, (encoded) => encoded.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    escapeHtmlLine(value),
  ];
}

/**
 * The characters that the key becomes, whatever is before and after it, if a text with it is encoded as base64 or
 * base64url. They depend on where it begins: a group of four characters holds three bytes.
 */
function base64Within(value: string, offset: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, 'utf8')]);
  const [first, end] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(first, end));
}
