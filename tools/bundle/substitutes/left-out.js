/** What is thrown when something is used that the bundle does not have. */
export function leftOut(name) {
  return new Error(`${name} was left out of the bundle: see tools/bundle/substitutes`);
}
