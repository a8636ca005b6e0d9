// Replaces: @actions/http-client.
// Why: @actions/core requests OIDC tokens with it, and @actions/github uses it for the proxy of its default `fetch`. The
// action needs neither, and handles proxies itself. The package loads Node's https, a tunnel and undici's ProxyAgent.
// Saves: 9 ms of every step.
import { leftOut } from './left-out.js';

export class HttpClient {
  /** @actions/github asks while it is loaded. */
  getAgent() {
    return undefined;
  }

  getAgentDispatcher() {
    return undefined;
  }

  getJson() {
    throw leftOut('HttpClient of @actions/http-client');
  }
}

export class BearerCredentialHandler {
  constructor() {
    throw leftOut('BearerCredentialHandler of @actions/http-client');
  }
}
