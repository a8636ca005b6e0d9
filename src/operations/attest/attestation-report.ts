import type { Verdict } from '../../contract/compliance.ts';
import type { Attachment } from '../../evidence/attachment/attachment.ts';
import type { UnattachedFiles } from '../../evidence/attachment/unattached-files.ts';
import { formatBytes } from '../../evidence/files/format-bytes.ts';
import { evidenceLabel, toEvidenceState } from '../evidence-state.ts';
import { abbreviate, code, fact, link, type Evidence, type Fact } from '../report.ts';
import { pluralize } from '../sentences.ts';
import type { Attested } from './define-attest-operation.ts';

/** The facts that every attestation shows: its commit, where it is recorded, and its file. */
export function attestationFacts({
  commit,
  flow,
  trail,
  trailPageUrl,
  attestationName,
  attachment,
  unattached,
}: Omit<Attested<unknown>, 'gathered'>): readonly Fact[] {
  return [
    ...fact('Commit', commit.sha1, commit.url),
    ...fact('Commit message', commit.message?.split('\n')[0]),
    ...fact('Author', commit.author),
    ...fact('Flow', flow),
    ...fact('Trail', trail, trailPageUrl),
    ...fact('Attestation', attestationName),
    ...fact('Attachment', describeAttachment(attachment)),
    ...fact('Not attached', describeUnattached(unattached)),
  ];
}

/**
 * The trail with this one attestation.
 *
 * @param href the page with the details of the evidence; by default that of the trail
 * @param notes one sentence each
 */
export function attestationEvidence(
  { trail, trailPageUrl, commit, attestationName }: Omit<Attested<unknown>, 'gathered'>,
  verdict: Verdict | undefined,
  { href = trailPageUrl, notes = [] }: { readonly href?: string | undefined; readonly notes?: readonly string[] } = {},
): Evidence {
  return {
    table: {
      title: 'Evidence',
      columns: ['Trail', 'Commit', attestationName],
      rows: [
        [
          link(trail === commit.sha1 ? abbreviate(trail) : trail, trailPageUrl),
          { ...code(abbreviate(commit.sha1)), href: commit.url },
          link(evidenceLabel(toEvidenceState(verdict)), href),
        ],
      ],
    },
    notes,
    problems: [],
    moreProblems: 0,
  };
}

/** `The results are recorded as unit in flow web.`, with a space before it; empty if they are not recorded. */
export function recordedSentence(
  subject: string,
  { flow, attestationName, isRecorded }: Omit<Attested<unknown>, 'gathered'>,
): string {
  return isRecorded ? ` ${subject} recorded as ${attestationName} in flow ${flow}.` : '';
}

function describeUnattached(unattached: UnattachedFiles | undefined): string | undefined {
  if (unattached === undefined) return undefined;
  const { count, size } = unattached;
  return `${pluralize(count, 'file')} of ${formatBytes(size)}, too large even if packed; \`user_data\` has the digests`;
}

function describeAttachment(attachment: Attachment | undefined): string | undefined {
  if (attachment === undefined) return undefined;
  const files = attachment.parts.length === 1 ? '' : ` of ${attachment.parts.length} files`;
  return `${attachment.filename}${files}, ${attachment.size} bytes`;
}
