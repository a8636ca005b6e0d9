import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { errorCode } from '../runtime/failure.ts';
import { type ConnectSettings, maximumConnections } from './connection-settings.ts';
import { readingAnswerFirst } from './early-answer.ts';
import type { ProxySettings } from './proxy-settings.ts';

/** The options with which undici creates a pool. */
type PoolSettings = Pool.Options & { readonly connect: buildConnector.connector };

/** Sends through the proxies of the environment; connects directly to the hosts that they exclude. */
export function createProxyAgent(proxies: ProxySettings, connect: ConnectSettings): Dispatcher {
  return new EnvHttpProxyAgent({
    ...proxies,
    connect: buildConnector(connect),
    proxyTls: connect,
    requestTls: connect,
    // undici has replaced `connect` by a connector here, as in `factory`. No deadline for the CONNECT request, either:
    // the caller sets one.
    clientFactory: (proxy: string | URL, { connect: connectTo, ...options }: PoolSettings) =>
      new Pool(proxy, { ...options, headersTimeout: 0, connect: derivingServerName(connectTo) }),
    // Creates the pools of origins and of a forwarding proxy.
    factory: (origin: string | URL, { connect: connectTo, ...options }: PoolSettings) =>
      new Pool(origin, {
        ...options,
        connections: maximumConnections,
        connect: readingAnswerFirst(connectingOnce(connectTo)),
      }),
    // Plain http is forwarded, not tunnelled: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
  });
}

/**
 * Wraps a connector, so that it derives the server name for TLS from the address: none from an IP address. undici would
 * send the IP address of a proxy as its server name, which RFC 6066 forbids and Node.js warns of.
 */
function derivingServerName(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect({ ...options, servername: '' }, callback);
  };
}

/**
 * Wraps a connector, so that it is not called again and again if the proxy closes the connection instead of opening a
 * tunnel: undici would connect again at once after an error with the code `UND_ERR_SOCKET`.
 */
function connectingOnce(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else if (errorCode(error) !== 'UND_ERR_SOCKET') callback(error, null);
      else callback(new Error('the proxy opened no tunnel', { cause: error }), null);
    });
  };
}
