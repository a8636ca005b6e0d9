// Replaces: Node's fs, for packages that import it as `fs`; the action itself imports `node:fs`.
// Why: @actions/core writes the summary with `fs.promises`, which Node.js loads at first use.
// Saves: 2 ms of every step.
'use strict';

const fs = require('node:fs');

const promises = {
  access: async (...parameters) => fs.accessSync(...parameters),
  appendFile: async (...parameters) => fs.appendFileSync(...parameters),
  writeFile: async (...parameters) => fs.writeFileSync(...parameters),
};

module.exports = Object.create(fs, {
  promises: { value: new Proxy(promises, { get: (own, name) => own[name] ?? fs.promises[name] }) },
});
