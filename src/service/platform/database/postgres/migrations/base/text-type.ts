/**
 * Texts are compared and sorted by their bytes, as in SQLite and in JavaScript, whatever the locale of the database.
 */
export const text = 'text COLLATE "C"';
