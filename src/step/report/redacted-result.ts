import { isMapping } from '../../runtime/untrusted-data.ts';
import type { StepResult } from '../run/step-result.ts';
import { safeHref } from './escape.ts';

/**
 * Removes secrets from a result that is to be shown in summaries, comments and statuses. The plain texts are redacted
 * before they are rendered, because escaping, broken mentions and truncation can hide a secret from the search but not
 * from a reader. A link with a secret is left out as a whole.
 */
export function redactResult(stepResult: StepResult, redact: (text: string) => string): StepResult {
  const { decision, result, runUrl, checkpoint } = stepResult;
  const shown = { ...stepResult, ...redactTexts({ decision, runUrl, checkpoint }, redact) };
  if (result === undefined) return shown;
  const { conclusion, htmlUrl, attestationUrl, commits, report } = result;
  const texts = redactTexts({ conclusion, htmlUrl, attestationUrl, commits, report }, redact);
  // The response is only for the outputs and the response file, which are already written.
  return { ...shown, result: { ...result, ...texts, response: undefined } };
}

/** The keys of links. A link under any other key would be redacted like a text, and stay although it is unsafe. */
const linkKeys: ReadonlySet<string> = new Set(['href', 'html_url', 'htmlUrl', 'attestationUrl', 'runUrl']);

/** The keys of words that code compares. They are never secret, although a very short secret can be part of one. */
const wordKeys: ReadonlySet<string> = new Set(['outcome', 'level', 'state']);

/** Redacts all texts in objects and lists, at any depth. */
function redactTexts<Content>(content: Content, redact: (text: string) => string): Content {
  const redacted = (value: unknown, key = ''): unknown => {
    if (wordKeys.has(key)) return value;
    if (typeof value === 'string') return linkKeys.has(key) ? redactHref(value, redact) : redact(value);
    if (Array.isArray(value)) return value.map((item: unknown) => redacted(item));
    if (!isMapping(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redacted(inner, name)]));
  };
  // Only texts are changed, and unsafe links left out.
  return redacted(content) as Content;
}

/** The normalized link; undefined if it is unsafe, or contains a secret, encoded or not. */
function redactHref(href: string, redact: (text: string) => string): string | undefined {
  const safe = safeHref(href);
  if (safe === undefined) return undefined;
  const forms = [href, safe, decoded(href), decoded(safe)];
  return forms.every((form) => redact(form) === form) ? safe : undefined;
}

/** Decodes percent-encoded characters and, unlike `decodeURIComponent`, accepts malformed ones. */
function decoded(href: string): string {
  return href.replaceAll(/(?:%[0-9a-f]{2})+/giu, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
