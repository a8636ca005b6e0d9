// Replaces: @actions/http-client.
// Why: @actions/core requests OIDC tokens with it, which the action does itself, with its own proxies. The package loads
// Node's https, a tunnel and undici's ProxyAgent.
// Saves: 9 ms of every step.
import { leftOut } from './left-out.js';

export class HttpClient {
  constructor() {
    throw leftOut('HttpClient of @actions/http-client');
  }
}

export class BearerCredentialHandler {
  constructor() {
    throw leftOut('BearerCredentialHandler of @actions/http-client');
  }
}
