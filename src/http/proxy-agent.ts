import type { Dispatcher } from 'undici';
import openTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { answeringConnector, connecting } from './connecting.ts';
import type { ProxySettings } from './proxy.ts';

/** What undici makes a pool with. */
type PoolSettings = Pool.Options & { readonly connect: buildConnector.connector };

/** The way through the proxies of the environment; hosts that these exclude are asked directly. */
export function createProxyAgent(proxies: ProxySettings, cancelled: AbortSignal): Dispatcher {
  const connect = connecting(cancelled);
  return new EnvHttpProxyAgent({
    ...proxies,
    connect: buildConnector(connect),
    proxyTls: connect,
    requestTls: connect,
    // The agent asks its proxy for a tunnel by this method, which only the whole of undici puts on its dispatchers.
    clientFactory: (proxy, options) =>
      Object.assign(new Pool(proxy, { ...options, headersTimeout: 0 }), { connect: openTunnel }),
    // For each origin and for the proxy that forwards: by now, to connect is a function.
    factory: (origin: string | URL, { connect: connectTo, ...options }: PoolSettings) =>
      new Pool(origin, { ...options, connect: answeringConnector(connectTo) }),
    // Plain http is forwarded, not tunnelled: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
  });
}
