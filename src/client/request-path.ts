import { UserError } from '../runtime/failure.ts';

/**
 * Fills the braces of a path template. Every value becomes exactly one segment: `pr/12` is sent as `pr%2F12`.
 *
 * @throws UserError for a value that cannot be encoded as a segment: an empty one, `.` or `..`, which every URL parser
 * resolves, or one with a lone surrogate, which has no UTF-8 encoding.
 */
export function fillPath(template: string, parameters: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (_braces, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..' || !value.isWellFormed()) {
      throw new UserError({
        what: `${JSON.stringify(value)} cannot be used as ${name} in a URL`,
        remedy: `Use a value for ${name} that is not empty, "." or "..".`,
      });
    }
    return encodeURIComponent(value);
  });
}

/** The query string with its question mark; empty if no parameter has a value. */
export function queryString(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query).flatMap(toPairs)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      parameters.append(name, String(value));
    }
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** A list is sent as a repeated parameter. */
function toPairs([name, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] {
  return Array.isArray(value) ? value.map((item: unknown) => [name, item] as const) : [[name, value]];
}
