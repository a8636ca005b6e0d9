// undici's index puts its API on every dispatcher; of that, tunnels through proxies need `connect`.
const Dispatcher = require('../../../node_modules/undici/lib/dispatcher/dispatcher.js');

Dispatcher.prototype.connect = require('../../../node_modules/undici/lib/api/api-connect.js');
module.exports = require('../../../node_modules/undici/lib/dispatcher/env-http-proxy-agent.js');
