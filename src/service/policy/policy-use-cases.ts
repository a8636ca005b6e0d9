import { unixSeconds } from '../../runtime/clock.ts';
import { truncate } from '../../runtime/truncate.ts';
import { recordRuleChanges } from '../environment/rule-change-use-cases.ts';
import { type KeyedRequest, type OnceResult, RepeatedRequest } from '../platform/idempotency/carry-out-once.ts';
import { runJudgingTransaction } from '../platform/judging/judging.ts';
import { SnapshotUpdates } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { PolicyRecord } from './policy.ts';
import type { PolicyHistoryLimits, PolicyReader } from './policy-records.ts';
import type { PolicyRules } from './policy-rules.ts';

/** How much of a policy's history is returned. */
const historyLimits: PolicyHistoryLimits = { versions: 1000, events: 1000, texts: 1024 * 1024 };

/** In characters. */
const maximumShownComment = 1000;

export interface PolicyToSave {
  readonly org: string;
  readonly name: string;
  /** Unchanged if undefined; empty for a new policy. */
  readonly description?: string | undefined;
  /** A description of the change. */
  readonly comment: string;
  /** The policy as it was uploaded. */
  readonly text: string;
  readonly rules: PolicyRules;
  readonly user: string;
}

export interface SavePolicyResult {
  readonly outcome: 'created' | 'updated';
  readonly policy: PolicyRecord;
}

/** Adds a version to a new or existing policy. Judges every environment again that the policy is attached to. */
export function savePolicy(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  policy: PolicyToSave,
  request?: KeyedRequest<SavePolicyResult>,
): Promise<OnceResult<SavePolicyResult>> {
  const now = unixSeconds(dependencies.now());
  const { org, name, description, comment, text, user } = policy;
  // Serialized before the transaction, because other transactions wait for it.
  const rules = JSON.stringify(policy.rules);
  return runJudgingTransaction(
    dependencies,
    org,
    async (transaction, context): Promise<OnceResult<SavePolicyResult>> => {
      const { policies } = transaction;
      const repetition = request === undefined ? undefined : await findRepeatedVersion(policies, name, request);
      if (repetition !== undefined) return repetition;
      const latest = await policies.findLatestVersion(org, name);
      const version = (latest ?? 0) + 1;
      const made = { version, comment, createdBy: user, createdAt: now };
      await policies.insertVersion({ org, name, description, ...made, text, rules, requestKey: request });
      const type = latest === undefined ? 'policy_created' : 'policy_updated';
      await policies.addEvents(org, [name], { type, timestamp: now, user });
      const details = { version: String(version), comment: truncate(comment, maximumShownComment) };
      const environments = await policies.listEnvironments(org, name);
      const change = { org, type, at: now, actor: user, subject: `policy ${name}`, details } as const;
      await recordRuleChanges(transaction, [change], environments);
      await new SnapshotUpdates(transaction, context).update(environments, { org, at: now, forced: true });
      const saved = await policies.find(org, name, historyLimits);
      if (saved === undefined) throw new Error('a policy that was just saved is gone');
      return { outcome: latest === undefined ? 'created' : 'updated', policy: saved };
    },
  );
}

/** Finds the version that a keyed request added earlier, with the policy as it was then. */
async function findRepeatedVersion(
  policies: PolicyReader,
  name: string,
  { org, key, digest }: KeyedRequest<SavePolicyResult>,
): Promise<RepeatedRequest<SavePolicyResult> | undefined> {
  const found = await policies.findByKey(org, key, historyLimits);
  if (found === undefined) return undefined;
  const { version, policy } = found;
  const outcome = version === 1 ? 'created' : 'updated';
  if (found.digest !== digest) return new RepeatedRequest<SavePolicyResult>(undefined);
  const latest = await policies.findLatestVersion(org, name);
  return new RepeatedRequest({ result: { outcome, policy } }, latest !== version);
}

export function findPolicy(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, name }: { readonly org: string; readonly name: string },
): Promise<PolicyRecord | undefined> {
  return storage.read(({ policies }) => policies.find(org, name, historyLimits));
}

/** Lists the policies of the organization by name, with the text of the latest version only. */
export function listPolicies(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org }: { readonly org: string },
): Promise<readonly PolicyRecord[]> {
  return storage.read(({ policies }) => policies.list(org, { ...historyLimits, texts: 0 }));
}
