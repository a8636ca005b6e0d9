// Replaces: Node's https, for packages that import it as `https`.
// Why: form-data can send requests with it, which undici does here.
// Saves: 11 ms of a step with an attachment.
'use strict';

module.exports.request = () => {
  throw new Error('https.request was left out of the bundle: see tools/bundle/substitutes');
};
