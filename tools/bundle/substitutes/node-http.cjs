// Replaces: Node's http, for undici and form-data.
// Why: undici uses only the maximum size of headers, and a class to recognize bodies that are responses of other servers,
// which the action does not have. form-data can send requests with it, which undici does here.
// Saves: 2 ms of every step.
'use strict';

module.exports = {
  IncomingMessage: class IncomingMessage {},
  // Node's default.
  maxHeaderSize: 16 * 1024,
  request() {
    throw new Error('http.request was left out of the bundle: see tools/bundle/substitutes');
  },
};
