import { buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { maximumConnections, type ConnectSettings } from './connection-settings.ts';
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
    // No deadline for the CONNECT request, either: the caller sets one.
    clientFactory: (proxy, options) => new Pool(proxy, { ...options, headersTimeout: 0 }),
    // Creates the pools of origins and of a forwarding proxy. undici has replaced `connect` by a connector here.
    factory: (origin: string | URL, { connect: connectTo, ...options }: PoolSettings) =>
      new Pool(origin, { ...options, connections: maximumConnections, connect: readingAnswerFirst(connectTo) }),
    // Plain http is forwarded, not tunnelled: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
  });
}
