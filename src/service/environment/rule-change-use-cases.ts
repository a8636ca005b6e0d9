import type { AuditEvent } from '../audit/audit-event.ts';
import { toBroadcasts } from '../notification/delivery-use-cases.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';

/**
 * Records changes of what environments are judged by in the audit log, and in the outbox for the targets that want to
 * hear of them; deployments that wait at GitHub are judged again. An environment without a report has no verdict that
 * could change.
 *
 * @param changes all of one organization and time
 * @param environments those that are judged by what was changed
 */
export async function recordRuleChanges(
  { auditLog, deliveries, environments: records, githubAnswers }: WriteTransaction,
  changes: readonly [AuditEvent, ...AuditEvent[]],
  environments: readonly string[],
): Promise<void> {
  for (const change of changes) await auditLog.append(change);
  const [{ org, at: timestamp }] = changes;
  await githubAnswers.noteRuleChange(org, timestamp);
  for (const environment of environments) {
    const trigger = 'ON_CHANGED_RULES';
    const listeners = (await deliveries.listListeners(org, environment)).filter((one) =>
      one.triggers.includes(trigger),
    );
    const { latest: snapshot = 0, compliant = null } =
      (listeners.length === 0 ? undefined : await records.find(org, environment)) ?? {};
    if (snapshot === 0) continue;
    const about = { trigger, org, environment, snapshot, compliant, timestamp } as const;
    const events = changes.map((change) => ({ ...about, description: describeRuleChange(change, environment) }));
    await deliveries.insertBroadcasts(org, toBroadcasts(listeners, events));
  }
}

function describeRuleChange({ type, actor, subject, details }: AuditEvent, environment: string): string {
  const detail = (name: string): string => details[name] ?? '';
  switch (type) {
    case 'policy_attached':
      return `${actor} attached the policy ${detail('policy')} to ${environment}.`;
    case 'policy_detached':
      return `${actor} detached the policy ${detail('policy')} from ${environment}.`;
    case 'artifact_allowed':
      return `${actor} allowed the artifact ${detail('artifact')} in ${environment}: ${detail('reason')}`;
    case 'artifact_disallowed':
      return `${actor} took the artifact ${detail('artifact')} off the allow-list of ${environment}.`;
    case 'provenance_requirement_changed':
      return `${actor} set require_provenance of ${environment} to ${detail('require_provenance')}.`;
    case 'policy_updated':
      return `${actor} uploaded version ${detail('version')} of the ${subject}, which is attached to ${environment}.`;
    case 'trail_template_changed':
      return `${actor} changed the template of the ${subject}, whose artifacts run in ${environment}.`;
    default:
      return `${actor} changed the ${subject}, whose artifacts run in ${environment}: ${detail('changed')}.`;
  }
}
