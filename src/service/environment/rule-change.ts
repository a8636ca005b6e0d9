import type { AuditEvent } from '../audit/audit-event.ts';

/** Describes a change of what an environment is judged by, as a sentence. */
export function describeRuleChange({ type, actor, subject, details }: AuditEvent, environment: string): string {
  const { changed = '', version = '', policy = '', require_provenance: required = '' } = details;
  switch (type) {
    case 'policy_attached':
      return `${actor} attached the policy ${policy} to ${environment}.`;
    case 'policy_detached':
      return `${actor} detached the policy ${policy} from ${environment}.`;
    case 'provenance_requirement_changed':
      return `${actor} set require_provenance of ${environment} to ${required}.`;
    case 'policy_updated':
      return `${actor} uploaded version ${version} of the ${subject}, which is attached to ${environment}.`;
    case 'trail_template_changed':
      return `${actor} changed the template of the ${subject}, whose artifacts run in ${environment}.`;
    default:
      return `${actor} changed the ${subject}, whose artifacts run in ${environment}: ${changed}.`;
  }
}
