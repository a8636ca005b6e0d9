import type { UseCaseDependencies } from './use-case-dependencies.ts';
import { unixSeconds } from '../../runtime/clock.ts';

/** Creates an organization without members. */
export async function createOrganization(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org }: { readonly org: string },
): Promise<'created' | 'exists'> {
  const createdAt = unixSeconds(now());
  const inserted = await storage.transaction(({ organizations }) => organizations.insert(org, createdAt));
  return inserted === 'inserted' ? 'created' : 'exists';
}
