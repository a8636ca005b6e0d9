import type { AuditEventType } from '../../contract/audit-log.ts';
import type { Role } from '../../contract/role.ts';
import type { ServiceAccountRecord } from './account.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { toRevocations, type ChangeAuthor } from './api-key-use-cases.ts';
import { runJudgingTransaction, type JudgingContext } from '../platform/judging/judging.ts';
import { judgeAll } from '../platform/judging/snapshot-updates.ts';
import { noteChange } from '../trail/trail-verdict-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { unixSeconds } from '../../runtime/clock.ts';

export interface ServiceAccountReference {
  readonly org: string;
  readonly name: string;
}

export type CreateServiceAccountResult = ServiceAccountRecord | 'exists';

/** Creates a service account without keys. */
export function createServiceAccount(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  command: Omit<ServiceAccountRecord, 'createdAt'>,
  request?: KeyedRequest<CreateServiceAccountResult>,
): Promise<OnceResult<CreateServiceAccountResult>> {
  const account = { ...command, createdAt: unixSeconds(dependencies.now()) };
  const create = async (transaction: WriteTransaction): Promise<CreateServiceAccountResult> => {
    const { accounts, auditLog } = transaction;
    if ((await accounts.insertServiceAccount(account)) === 'exists') return 'exists';
    const { privilege, createdAt: at, createdBy: by } = account;
    await auditLog.append(toAccountEvent('service_account_created', account, { by, at, details: { privilege } }));
    await noteChange(transaction, { org: account.org }, at);
    return account;
  };
  return dependencies.storage.transaction(account.org, carryOutOnce(dependencies, request, create));
}

/** The changes of a service account; undefined fields stay as they are. */
export interface ServiceAccountChange extends ServiceAccountReference, ChangeAuthor {
  readonly description?: string | undefined;
  readonly privilege?: Role | undefined;
}

/** Changes a service account. Returns it as it is now; undefined if there is none of that name. */
export function updateServiceAccount(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, name, description, privilege, by }: ServiceAccountChange,
  request?: KeyedRequest<ServiceAccountRecord | undefined>,
): Promise<OnceResult<ServiceAccountRecord | undefined>> {
  const at = unixSeconds(dependencies.now());
  const update = async ({ accounts, auditLog }: WriteTransaction): Promise<ServiceAccountRecord | undefined> => {
    const known = await accounts.findServiceAccount(org, name);
    if (known === undefined) return undefined;
    const changed = { description: description ?? known.description, privilege: privilege ?? known.privilege };
    await accounts.updateServiceAccount({ org, name, ...changed });
    const details = { privilege: changed.privilege, previous_privilege: known.privilege };
    await auditLog.append(toAccountEvent('service_account_updated', known, { by, at, details }));
    return { ...known, ...changed };
  };
  return dependencies.storage.transaction(org, carryOutOnce(dependencies, request, update));
}

export type DeleteServiceAccountResult = 'deleted' | 'not found';

/** Operation 15: deletes a service account and its keys, which a new account of the same name must not inherit. */
export function deleteServiceAccount(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  { org, name, by }: ServiceAccountReference & ChangeAuthor,
  request?: KeyedRequest<DeleteServiceAccountResult>,
): Promise<OnceResult<DeleteServiceAccountResult>> {
  const deletedAt = unixSeconds(dependencies.now());
  const remove = async (
    transaction: WriteTransaction,
    context: JudgingContext,
  ): Promise<DeleteServiceAccountResult> => {
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
  };
  return runJudgingTransaction(dependencies, org, carryOutOnce(dependencies, request, remove));
}

function toAccountEvent(
  type: AuditEventType,
  { org, name }: ServiceAccountReference,
  { by, at, details }: ChangeAuthor & Pick<AuditEvent, 'at' | 'details'>,
): AuditEvent {
  return { org, type, at, actor: by, subject: `service account ${name}`, details };
}
