// Replaces: Node's http, for undici and form-data. Why: of it, undici takes the limit of a header and a class, to tell
// whether a body is the answer of another server; no body is here. form-data could send requests with it, which undici
// does. Saves: 2 ms of every step.
'use strict';

module.exports = {
  IncomingMessage: class IncomingMessage {},
  // Node's default.
  maxHeaderSize: 16 * 1024,
  request() {
    throw new Error('http.request was left out of the bundle: see tools/bundle/substitutes');
  },
};
