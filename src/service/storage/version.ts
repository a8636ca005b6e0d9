/**
 * The state of some records. As long as the storage answers an equal version (`===`), they are unchanged, so what was
 * computed from them can be used again; a different version says nothing. Read the version in the same transaction as the
 * records.
 */
export type Version = string | number;
