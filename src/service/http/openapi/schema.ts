/** An object of the document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The name of the one form of error answers among the document's components. */
export const errorSchemaName = 'Error';

/** A body of a media type. */
export function content(mediaType: string, schema: unknown, more: JsonObject = {}): JsonObject {
  return { [mediaType]: { schema, ...more } };
}
