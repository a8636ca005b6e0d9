import { type Static, strictObject, Type } from '../schema.ts';
import { addressText, lineText } from '../text-fields.ts';
import { attestationDocument } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';

/** How many missing issues a reason names. */
const maximumNamed = 10;

/** A ticket that the change names (observed on the wire). */
const jiraResult = strictObject({
  issue_id: lineText({ description: 'For example `WEB-12` or `#12`.' }),
  issue_url: addressText(),
  issue_exists: Type.Boolean(),
  issue_fields: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: "The tracker's own fields, for example the summary and the status.",
    }),
  ),
});

export type JiraResult = Static<typeof jiraResult>;

/** The JSON part of an attestation of tickets (observed on the wire). */
export const jiraAttestation = attestationDocument({
  jira_results: Type.Union([Type.Array(jiraResult), Type.Null()], { description: 'Null: none was found.' }),
});

export type JiraAttestation = Static<typeof jiraAttestation>;

/** A change is compliant if it names at least one ticket, and all that it names exist. */
function judge({ jira_results: results }: JiraAttestation): AttestationJudgement {
  const found = results ?? [];
  if (found.length === 0) {
    const reason = 'the change names no issue';
    return { verdict: 'non-compliant', reason, faults: [{ value: reason, limit: 'at least one is required' }] };
  }
  const missing = found.filter(({ issue_exists: exists }) => !exists).map(({ issue_id: id }) => id);
  if (missing.length > 0) {
    const shown = missing.slice(0, maximumNamed).join(', ');
    const rest = missing.length > maximumNamed ? ` and ${missing.length - maximumNamed} more` : '';
    const value = `${shown}${rest} ${missing.length === 1 ? 'does' : 'do'} not exist`;
    return { verdict: 'non-compliant', reason: value, faults: [{ value }] };
  }
  const named = found
    .map(({ issue_id: id }) => id)
    .slice(0, maximumNamed)
    .join(', ');
  return { verdict: 'compliant', reason: `the change names ${named}`, faults: [] };
}

/** Tickets of an issue tracker. The type is named after the tracker that the wire form comes from. */
export const jiraKind = defineAttestationKind({
  name: 'jira',
  operation: 'attest-issue',
  title: 'Attest issues that a change names',
  document: jiraAttestation,
  judge,
});
