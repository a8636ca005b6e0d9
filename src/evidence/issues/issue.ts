import type { JiraResult } from '../../contract/attestations/jira.ts';
import { truncate } from '../../runtime/truncate.ts';

/** The maximum length of a recorded text, in characters. */
const maximumText = 300;

/** An issue as the attestation records it. */
export function toIssue(
  id: string,
  url: string,
  found: { readonly summary: string | undefined; readonly status: string | undefined } | undefined,
): JiraResult {
  const cut = (text: string): string => truncate(text, maximumText).replaceAll('\0', '\uFFFD').toWellFormed();
  const known = { issue_id: id, issue_url: url, issue_exists: found !== undefined };
  if (found === undefined) return known;
  const { summary, status } = found;
  return {
    ...known,
    issue_fields: {
      ...(summary === undefined ? {} : { summary: cut(summary) }),
      ...(status === undefined ? {} : { status: { name: cut(status) } }),
    },
  };
}
