import type { AnswerBody } from '../../http/answer-body.ts';
import type { HttpAnswer } from '../../http/exchange.ts';
import { listAt, textAt } from '../../runtime/values.ts';

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

/**
 * Whether Sonar's words are those for a path that it has no endpoint for, without (or with) its context path. An address
 * that already ends in `/api` is not the server's, so that its paths are never known.
 */
export function isUnknownUrl(words: string, path: string, server: URL): boolean {
  const contextPath = server.pathname.replace(/\/$/u, '');
  if (contextPath.endsWith('/api')) return false;
  return words === `Unknown url : /${path}` || words === `Unknown url : ${contextPath}/${path}`;
}
