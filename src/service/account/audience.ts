/**
 * The environments that a record counts for; undefined for all. Every record counts for its trail and flow. It keeps what
 * the key counted for that it was sent with.
 */
export type CountsFor = readonly string[] | undefined;

/** Whose verdict records are looked up for. */
export interface Audience {
  /** Undefined for policies that are applied without an environment: only what counts for all environments counts. */
  readonly environment: string | undefined;
  /** True for a member of the logical environment that is judged, because a reader may not know its members. */
  readonly isMember?: boolean;
}

/** Whether a record counts for an audience. Without an audience, all records count: those of a trail or flow. */
export function countsForAudience(countsFor: CountsFor, audience: Audience | undefined): boolean {
  if (audience === undefined || countsFor === undefined) return true;
  return audience.environment !== undefined && countsFor.includes(audience.environment);
}

/** Whether a record counts for any environment. */
export function countsForAny(countsFor: CountsFor): boolean {
  return countsFor === undefined || countsFor.length > 0;
}

export function describeAudience({ environment, isMember = false }: Audience): string {
  if (isMember) return 'a member of the environment';
  return environment === undefined ? 'all environments' : `environment ${environment}`;
}

/** Everything that is recorded with any of several keys' permissions counts for all of these environments, sorted. */
export function uniteCountsFor(all: readonly CountsFor[]): CountsFor {
  const named = all.filter((one) => one !== undefined);
  return named.length < all.length ? undefined : [...new Set(named.flat())].sort();
}
