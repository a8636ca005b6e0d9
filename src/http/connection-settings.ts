/** The maximum number of open connections to one origin. More requests at a time gain nothing. */
export const maximumConnections = 8;

/** undici sets no deadline for connecting: the caller has one for connecting, headers and body together. */
export interface ConnectSettings {
  readonly timeout: 0;
  readonly signal: AbortSignal;
}
