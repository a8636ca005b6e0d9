/**
 * Takes the place of mime-types in the bundle, whose table of 140 kB form-data asks for the type of a file that has none.
 * Every part that is sent has its content type (`src/client/body.ts`).
 */
export function lookup(): false {
  return false;
}
