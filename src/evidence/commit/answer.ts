import type { FailureKind, FailureText } from '../../runtime/failure.ts';

/** Why a source could not say what it was asked: whose fault that is, and what the reader can do about it. */
export interface Miss extends FailureText {
  readonly kind: FailureKind;
}

/** What a source says: the thing, or why not. A miss is no failure yet, because the next source may know. */
export type Answer<Thing> = { readonly found: Thing } | { readonly miss: Miss };

/** An answer that the user's setup is to blame for. */
export function notSetUp(what: string, remedy: string): { readonly miss: Miss } {
  return { miss: { kind: 'user', what, remedy } };
}

/** An answer that a service or the way to it is to blame for. */
export function inTrouble(what: string, remedy: string): { readonly miss: Miss } {
  return { miss: { kind: 'external', what, remedy } };
}
