import type { AuditEventType } from '../../contract/audit-log.ts';
import type { Role } from '../../contract/role.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { judgeAll } from '../platform/judging/snapshot-updates.ts';
import { noteChange } from '../trail/trail-verdict-use-cases.ts';
import type { ServiceAccountRecord } from './account.ts';
import { type ChangeAuthor, toRevocations } from './api-key-use-cases.ts';

export interface ServiceAccountReference {
  readonly org: string;
  readonly name: string;
}

/** Creates a service account without keys. */
export const createServiceAccount = defineWrite(
  async (
    transaction,
    command: Omit<ServiceAccountRecord, 'createdAt'>,
    { at },
  ): Promise<ServiceAccountRecord | 'exists'> => {
    const account = { ...command, createdAt: at };
    const { accounts, auditLog } = transaction;
    if ((await accounts.insertServiceAccount(account)) === 'exists') return 'exists';
    const { privilege, createdBy: by } = account;
    await auditLog.append(toAccountEvent('service_account_created', account, { by, at, details: { privilege } }));
    await noteChange(transaction, { org: account.org }, at);
    return account;
  },
);

/** The changes of a service account; undefined fields stay as they are. */
export interface ServiceAccountChange extends ServiceAccountReference, ChangeAuthor {
  readonly description?: string | undefined;
  readonly privilege?: Role | undefined;
}

/** Changes a service account. Returns it as it is now; undefined if there is none of that name. */
export const updateServiceAccount = defineWrite(
  async (
    { accounts, auditLog },
    { org, name, description, privilege, by }: ServiceAccountChange,
    { at },
  ): Promise<ServiceAccountRecord | undefined> => {
    const known = await accounts.findServiceAccount(org, name);
    if (known === undefined) return undefined;
    const changed = { description: description ?? known.description, privilege: privilege ?? known.privilege };
    await accounts.updateServiceAccount({ org, name, ...changed });
    const details = { privilege: changed.privilege, previous_privilege: known.privilege };
    await auditLog.append(toAccountEvent('service_account_updated', known, { by, at, details }));
    return { ...known, ...changed };
  },
);

/** Operation 15: deletes a service account and its keys, which a new account of the same name must not inherit. */
export const deleteServiceAccount = defineWrite(
  async (
    transaction,
    { org, name, by }: ServiceAccountReference & ChangeAuthor,
    context,
  ): Promise<'deleted' | 'not found'> => {
    const { at: deletedAt } = context;
    const { accounts, auditLog } = transaction;
    if ((await accounts.deleteServiceAccount(org, name)) === 'not found') return 'not found';
    const revoked = await accounts.revokeServiceAccountKeys(org, name, deletedAt);
    const event = { by, at: deletedAt, details: { revoked_keys: 'all' } };
    await auditLog.append(toAccountEvent('service_account_deleted', { org, name }, event));
    const owner = { org, ownerKind: 'service account', owner: name } as const;
    const cause = `service account ${name} was deleted`;
    for (const each of toRevocations(revoked, { ...owner, by, at: deletedAt, cause })) await auditLog.append(each);
    await judgeAll(transaction, { org, at: deletedAt }, context);
    return 'deleted';
  },
);

function toAccountEvent(
  type: AuditEventType,
  { org, name }: ServiceAccountReference,
  { by, at, details }: ChangeAuthor & Pick<AuditEvent, 'at' | 'details'>,
): AuditEvent {
  return { org, type, at, actor: by, subject: `service account ${name}`, details };
}
