import type { HttpAnswer } from '../../http/exchange.ts';
import { listAt, textAt } from '../../runtime/values.ts';

/** The body of an answer: what it holds, or why it cannot be read, in words. */
export type AnswerBody = { readonly value: unknown; readonly problem?: never } | { readonly problem: string };

/**
 * Reads the JSON of an answer. Anything else is described, not shown: a proxy's login page in a log helps nobody, and
 * can hold what should not be there.
 */
export function readBody(answer: HttpAnswer): AnswerBody {
  if (answer.text.trim() === '') return { problem: 'no body' };
  const mediaType = answer.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    return { problem: `${describeMediaType(mediaType)} instead of JSON` };
  }
  try {
    return { value: JSON.parse(answer.text) as unknown };
  } catch {
    return { problem: 'a body that claims to be JSON and is not' };
  }
}

function describeMediaType(mediaType: string): string {
  if (mediaType === 'text/html') return 'an HTML page';
  // Only what a media type may consist of is repeated from a foreign header.
  return /^[\w.+/-]+$/u.test(mediaType) ? `a ${mediaType} body` : 'a body without a media type';
}

/** Sonar's own words in an error answer (`{"errors":[{"msg":"…"}]}`); undefined where there are none. */
export function sonarWords(body: AnswerBody): string | undefined {
  const words = listAt(body.problem === undefined ? body.value : undefined, 'errors').flatMap(
    (error) => textAt(error, 'msg') ?? [],
  );
  return words.length === 0 ? undefined : words.join('; ');
}

/** Where a redirect leads: an address, or nothing that can be read as one; undefined where it is not a redirect. */
export function redirectTarget(answer: HttpAnswer, asked: URL): URL | 'nowhere' | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const location = answer.headers['location'] ?? '';
  return location === '' ? 'nowhere' : (URL.parse(location, asked.href) ?? 'nowhere');
}
