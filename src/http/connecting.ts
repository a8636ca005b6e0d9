/**
 * How undici is to connect: without a deadline of its own, which would cut in between. Deadlines are the caller's: one for
 * connecting, headers and body together.
 */
export function connecting(signal: AbortSignal): { readonly timeout: 0; readonly signal: AbortSignal } {
  return { timeout: 0, signal };
}
