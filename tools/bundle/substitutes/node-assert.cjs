// Replaces: Node's assert, for undici, which only calls the function itself.
// Why: Node's assert is needed only if an assertion fails, and is loaded then.
// Saves: 1 ms of every step.
'use strict';

module.exports = (value, ...rest) => {
  if (!value) require('node:assert')(value, ...rest);
};
