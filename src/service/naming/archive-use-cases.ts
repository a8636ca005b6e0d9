import type { ChangeAuthor } from '../account/api-key-use-cases.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { SnapshotUpdates } from '../platform/judging/snapshot-updates.ts';
import type { NamedReference } from './naming-records.ts';

export type ArchiveResult =
  | { readonly outcome: 'archived' | 'not found' }
  /** An environment is still judged by the policy: this one. */
  | { readonly outcome: 'attached'; readonly environment: string };

/**
 * Archives a flow, an environment or a policy that is attached nowhere. An archived environment is no longer judged, and
 * logical environments no longer include it.
 */
export const archive = defineWrite(
  async (transaction, { by: actor, ...reference }: NamedReference & ChangeAuthor, context): Promise<ArchiveResult> => {
    const { at } = context;
    const { org, kind, name } = reference;
    const { naming, auditLog, environments, policies, githubAnswers } = transaction;
    if (!(await naming.exists(reference))) return { outcome: 'not found' };
    const attached = kind === 'policy' ? await policies.listEnvironments(org, name) : [];
    const heads = await environments.findHeads(org, attached);
    const environment = attached.find((one) => heads.get(one)?.isArchived === false);
    if (environment !== undefined) return { outcome: 'attached', environment };
    await naming.archive(reference, at);
    await auditLog.append({ org, type: 'archived', at, actor, subject: `${kind} ${name}`, details: {} });
    if (kind === 'environment') {
      await githubAnswers.noteRuleChange(org, at);
      const including = await environments.listIncluding(org, [name]);
      await new SnapshotUpdates(transaction, context).update(including, { org, at, forced: true });
    }
    return { outcome: 'archived' };
  },
);
