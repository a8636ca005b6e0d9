/** What the quotas of an organization limit, in the order in which they are shown. */
export const quotaNames = ['records', 'attachment-bytes', 'login-rules', 'keys'] as const;

export type QuotaName = (typeof quotaNames)[number];

/** How much an organization has of what quotas limit. */
export type Usage = Readonly<Record<QuotaName, number>>;

/** Each quota by organization; the empty name stands for all organizations without one of their own. */
export type Quotas = Readonly<Partial<Record<QuotaName, ReadonlyMap<string, number>>>>;

export function findLimit(quotas: Quotas, org: string, name: QuotaName): number | undefined {
  const limits = quotas[name];
  return limits?.get(org) ?? limits?.get('');
}

/** A request would exceed a quota. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError';
  /** For the placeholders of the response. */
  readonly values: Readonly<Record<'quota' | 'org' | 'limit', string | number>>;

  constructor(values: QuotaExceededError['values']) {
    super(`the quota ${values.quota} of ${values.org} is ${values.limit}`);
    this.values = values;
  }
}

/**
 * Checks that a change keeps the quotas. Usage that was above its quota already may stay, but not grow.
 *
 * @throws QuotaExceededError
 */
export function requireQuotas(quotas: Quotas, org: string, before: Usage, after: Usage): void {
  for (const quota of quotaNames) {
    const limit = findLimit(quotas, org, quota);
    if (limit === undefined || after[quota] <= Math.max(limit, before[quota])) continue;
    throw new QuotaExceededError({ quota, org, limit });
  }
}
