/**
 * Adds the import attribute that Node.js requires to the JSON imports of GitHub's language service, which is written
 * for bundlers.
 *
 * @type {import('@jest/transform').SyncTransformer}
 */
export default {
  process: (source) => ({ code: source.replaceAll(/(\bfrom "[^"]+\.json");/gu, '$1 with { type: "json" };') }),
};
