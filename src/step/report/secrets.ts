import { escapeHtmlLine } from './escape.ts';

/** What must never be seen, and what takes its place. */
export interface Secrets {
  /** Every form in which a secret could appear, to be masked by the runner as well. */
  readonly forms: readonly string[];
  /** The text with every secret in it replaced by `***`. */
  readonly redact: (text: string) => string;
}

/**
 * Collects the secrets of a step. The runner masks its own log only; summaries, outputs and files are ours to keep clean,
 * even where a service repeats a key in its answer.
 */
export function collectSecrets(values: readonly string[]): Secrets {
  const forms = [...new Set(values.flatMap(formsOf))]
    // The longest first, so that a secret that begins with another one is replaced whole.
    .sort((a, b) => b.length - a.length);
  return {
    forms,
    redact: (text) => forms.reduce((clean, form) => clean.replaceAll(form, '***'), text),
  };
}

/** A key as it is, in a basic header, in base64, in a URL, in JSON and in HTML. */
function formsOf(value: string): readonly string[] {
  if (value === '') return [];
  const inAddress = encodeURIComponent(value.toWellFormed());
  return [
    value,
    Buffer.from(`${value}:`, 'utf8').toString('base64'),
    Buffer.from(value, 'utf8').toString('base64'),
    inAddress,
    inAddress.replaceAll(/%[0-9A-F]{2}/gu, (encoded) => encoded.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    escapeHtmlLine(value),
  ];
}
