// undici's index adds its API to every dispatcher. Tunnels through proxies need only `connect`.
const Dispatcher = require('../../../node_modules/undici/lib/dispatcher/dispatcher.js');

Dispatcher.prototype.connect = require('../../../node_modules/undici/lib/api/api-connect.js');
module.exports = require('../../../node_modules/undici/lib/dispatcher/env-http-proxy-agent.js');
