/**
 * A version of some records. As long as the storage returns an equal version (`===`), the records are unchanged, and
 * values computed from them can be reused; a different version does not imply a change. Read the version in the same
 * transaction as the records.
 */
export type Version = string | number;
