import type { JiraResult } from '../../contract/attestations/jira.ts';
import { toRecordedText } from '../recorded-text.ts';

/** The maximum length of a recorded text, in characters. */
const maximumText = 300;

/** An issue as the attestation records it. */
export function toIssue(
  id: string,
  url: string,
  found: { readonly summary: string | undefined; readonly status: string | undefined } | undefined,
): JiraResult {
  const known = { issue_id: id, issue_url: url, issue_exists: found !== undefined };
  if (found === undefined) return known;
  const { summary, status } = found;
  return {
    ...known,
    issue_fields: {
      ...(summary === undefined ? {} : { summary: toRecordedText(summary, maximumText) }),
      ...(status === undefined ? {} : { status: { name: toRecordedText(status, maximumText) } }),
    },
  };
}
