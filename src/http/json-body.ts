import type { HttpResponse } from './transport.ts';

/** The body of an answer: its content, or a description of why it cannot be read. */
export type ParsedBody = { readonly value: unknown; readonly problem?: never } | { readonly problem: string };

/**
 * Reads the JSON of an answer. Anything else is described, not shown: a proxy's login page is useless in a log, and can
 * contain secrets.
 */
export function readJsonBody(answer: HttpResponse): ParsedBody {
  if (answer.text.trim() === '') return { problem: 'an empty body' };
  const mediaType = answer.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    const bytes = Buffer.byteLength(answer.text);
    return { problem: `${describeMediaType(mediaType)} of ${bytes} bytes instead of JSON` };
  }
  try {
    return { value: JSON.parse(answer.text) as unknown };
  } catch {
    return { problem: 'a body that claims to be JSON but is not' };
  }
}

function describeMediaType(mediaType: string): string {
  if (mediaType === 'text/html') return 'an HTML page';
  // Quotes a foreign header only if it has the form of a media type.
  return /^[\w.+/-]+$/u.test(mediaType) ? `a ${mediaType} body` : 'a body without a media type';
}
