import { maximumAllowedArtifacts } from '../../contract/limits.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import type { JudgingContext } from '../platform/judging/judging.ts';
import { SnapshotUpdates } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { AllowedArtifact } from './allow-list-records.ts';
import { recordRuleChanges } from './rule-change-use-cases.ts';

/** In characters, in the audit log. */
const maximumShownReason = 1000;

/** Allows an artifact in an environment. Creates a snapshot if the artifact runs there. */
export const allowArtifact = defineWrite(
  async (
    transaction,
    wanted: Omit<AllowedArtifact, 'at'>,
    context,
  ): Promise<'allowed' | 'replaced' | 'environment not found' | 'too many'> => {
    const artifact = { ...wanted, at: context.at };
    const { org, environment, fingerprint } = artifact;
    const { environments, allowList } = transaction;
    if ((await environments.findHead(org, environment)) === undefined) return 'environment not found';
    const known = await allowList.list(org, environment);
    const isKnown = known.some((one) => one.fingerprint === fingerprint);
    if (!isKnown && known.length >= maximumAllowedArtifacts) return 'too many';
    await allowList.save(artifact);
    await judgeAgain(transaction, context, artifact, 'artifact_allowed');
    return isKnown ? 'replaced' : 'allowed';
  },
);

/** Takes an artifact off the list. Creates a snapshot if the artifact runs there. */
export const disallowArtifact = defineWrite(
  async (
    transaction,
    { by, ...reference }: Pick<AllowedArtifact, 'org' | 'environment' | 'fingerprint' | 'by'>,
    context,
  ): Promise<'disallowed' | 'environment not found' | 'not allowed'> => {
    const { at } = context;
    const { org, environment, fingerprint } = reference;
    const { environments, allowList } = transaction;
    if ((await environments.findHead(org, environment)) === undefined) return 'environment not found';
    const known = (await allowList.findAmong(org, environment, [fingerprint])).get(fingerprint);
    if (known === undefined) return 'not allowed';
    await allowList.delete(known);
    await judgeAgain(transaction, context, { ...known, by, at }, 'artifact_disallowed');
    return 'disallowed';
  },
);

async function judgeAgain(
  transaction: WriteTransaction,
  context: JudgingContext,
  { org, environment, fingerprint, name, reason, by: actor, at }: AllowedArtifact,
  type: 'artifact_allowed' | 'artifact_disallowed',
): Promise<void> {
  const details = { fingerprint, artifact: name, reason: truncate(reason, maximumShownReason) };
  const change = { org, type, at, actor, subject: `environment ${environment}`, details };
  await recordRuleChanges(transaction, [change], [environment]);
  const running = await transaction.environments.listRunning({ org, fingerprint });
  const logical = await transaction.environments.listIncluding(org, running);
  if (![...running, ...logical].includes(environment)) return;
  await new SnapshotUpdates(transaction, context).make(environment, { org, at });
}

/** Lists what is allowed in an environment, the latest first; undefined if it does not exist. */
export function listAllowedArtifacts(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, environment }: Pick<AllowedArtifact, 'org' | 'environment'>,
): Promise<readonly AllowedArtifact[] | undefined> {
  return storage.read(async ({ environments, allowList }) =>
    (await environments.findHead(org, environment)) === undefined ? undefined : allowList.list(org, environment),
  );
}
