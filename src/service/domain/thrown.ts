/**
 * What is known of anything that was thrown. Asked by its properties and not by its class, because an error of Node's own
 * need not be of the class that this code knows as Error (worker contexts, test sandboxes).
 */

function propertyOf(thrown: unknown, key: 'code' | 'errcode' | 'message' | 'statusCode'): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined;
}

/** The code of an error of Node or Fastify, such as `ENOENT`; undefined where it has none. */
export function codeOf(thrown: unknown): string | undefined {
  const code = propertyOf(thrown, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** The extended result code of SQLite; undefined for what SQLite did not throw. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  const code = propertyOf(thrown, 'errcode');
  return typeof code === 'number' ? code : undefined;
}

/** The HTTP status that Fastify would answer it with; undefined where it has none. */
export function statusCodeOf(thrown: unknown): number | undefined {
  const status = propertyOf(thrown, 'statusCode');
  return typeof status === 'number' ? status : undefined;
}

/** Its words. */
export function messageOf(thrown: unknown): string {
  const message = propertyOf(thrown, 'message');
  return typeof message === 'string' && message !== '' ? message : String(thrown);
}
