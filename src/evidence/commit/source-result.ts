import type { FailureKind, FailureText } from '../../runtime/failure.ts';

/** Why a source did not have the data, and what the reader can do about it. */
export interface SourceMiss extends FailureText {
  readonly kind: FailureKind;
}

/** What a source returns. A miss is not a failure yet, because the next source may have the data. */
export type SourceResult<Thing> = { readonly found: Thing } | { readonly miss: SourceMiss };

/** A miss that the workflow author can fix. */
export function userMiss(what: string, remedy: string): { readonly miss: SourceMiss } {
  return { miss: { kind: 'user', what, remedy } };
}

/** A miss because of a service or network error. */
export function externalMiss(what: string, remedy: string): { readonly miss: SourceMiss } {
  return { miss: { kind: 'external', what, remedy } };
}

/** The miss of GitHub's API if the step has no token. */
export function noToken(permission: string): { readonly miss: SourceMiss } {
  return userMiss(
    'it was not used, because the step has no token',
    `Give the step \`github-token: \${{ github.token }}\` and the job \`permissions: { ${permission} }\`.`,
  );
}

/** Lists the sources that were tried with the reason of each miss, ending in a full stop. */
export function describeMisses(misses: Readonly<Record<string, SourceMiss>>): string {
  const clauses = Object.entries(misses).map(([source, { what }]) => `${source}: ${what}`);
  return `${clauses.join('; ')}.`;
}
