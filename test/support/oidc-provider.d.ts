/** The part of oidc-provider that the tests use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }

  interface Configuration {
    readonly adapter: new () => { upsert(): Promise<void>; find(): Promise<undefined> };
    readonly ttl: { readonly ClientCredentials: number };
    readonly jwks: { readonly keys: readonly object[] };
    readonly clients: readonly object[];
    readonly extraTokenClaims: () => Readonly<Record<string, unknown>>;
    readonly features: {
      readonly devInteractions: { readonly enabled: boolean };
      readonly clientCredentials: { readonly enabled: boolean };
      readonly resourceIndicators: {
        readonly enabled: boolean;
        readonly getResourceServerInfo: (context: unknown, audience: string) => object;
      };
    };
  }
}
