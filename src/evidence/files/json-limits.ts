import { measureJson } from '../../runtime/json-size.ts';

/** The maximum size of a JSON file from another tool, in bytes. "32 MB" is read as 32 MiB, like for attachments. */
export const maximumJsonFileBytes = 32 * 1024 * 1024;

/** The maximum number of keys and values for each MiB that a file may have: as many as dense JSON has. */
const maximumValuesPerMiB = 156_250;

/** The maximum depth of lists and objects: safe for recursive readers. */
const maximumNesting = 100;

/**
 * Refuses JSON whose parsing would take too much memory.
 *
 * @param maximumBytes how large the file may be
 * @param createError creates the error from the end of a sentence: ` nests values more than …`
 */
export function requireSmallJson(text: string, maximumBytes: number, createError: (what: string) => Error): void {
  const maximumValues = (maximumBytes / 1024 ** 2) * maximumValuesPerMiB;
  const { values, nesting } = measureJson(text, maximumNesting);
  if (nesting > maximumNesting) throw createError(` nests values more than ${maximumNesting} deep`);
  if (values > maximumValues) throw createError(` has more than ${maximumValues} keys and values`);
}
