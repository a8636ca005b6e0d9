import type { FailureKind, FailureText } from '../../runtime/failure.ts';

/** Why a source could not say what it was asked: whose fault that is, and what the reader can do about it. */
export interface SourceMiss extends FailureText {
  readonly kind: FailureKind;
}

/** What a source says: the thing, or why not. A miss is no failure yet, because the next source may know. */
export type SourceAnswer<Thing> = { readonly found: Thing } | { readonly miss: SourceMiss };

/** An answer that the user's setup is to blame for. */
export function userMiss(what: string, remedy: string): { readonly miss: SourceMiss } {
  return { miss: { kind: 'user', what, remedy } };
}

/** An answer that a service or the way to it is to blame for. */
export function externalMiss(what: string, remedy: string): { readonly miss: SourceMiss } {
  return { miss: { kind: 'external', what, remedy } };
}

/** What GitHub's API says where there is no token to ask it with. */
export function noToken(permission: string): { readonly miss: SourceMiss } {
  return userMiss(
    'it was not used, because the step has no token',
    `Give the step \`github-token: \${{ github.token }}\` and the job \`permissions: { ${permission} }\`.`,
  );
}

/** The sources that were tried and why each did not answer, as a clause with its full stop. */
export function tried(misses: Readonly<Record<string, SourceMiss>>): string {
  const clauses = Object.entries(misses).map(([source, { what }]) => `${source}: ${what}`);
  return `${clauses.join('; ')}.`;
}
