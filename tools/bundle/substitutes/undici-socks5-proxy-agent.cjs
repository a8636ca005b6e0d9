// Replaces: undici's agent for SOCKS5 proxies (lib/dispatcher/socks5-proxy-agent.js).
// Why: the action refuses the address of such a proxy, so undici never makes the agent.
// Saves: 12 kB, and no time in a step without a proxy.
'use strict';

module.exports = function Socks5ProxyAgent() {
  throw new Error('SOCKS5 was left out of the bundle: see tools/bundle/substitutes');
};
