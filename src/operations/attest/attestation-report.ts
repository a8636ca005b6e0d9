import { toArtifactState, type Verdict } from '../../contract/compliance.ts';
import type { Attachment } from '../../evidence/attachment/attachment.ts';
import type { UnattachedFiles } from '../../evidence/attachment/unattached-files.ts';
import { formatBytes } from '../../evidence/files/format-bytes.ts';
import { commitFacts } from '../commit-facts.ts';
import { evidenceLabel, toEvidenceState } from '../evidence-state.ts';
import { concludeWithReasons } from '../reasons.ts';
import { abbreviate, code, fact, link, type Evidence, type Fact } from '../report.ts';
import { pluralize, withoutFullStop } from '../sentences.ts';
import type { Attested } from './define-attest-operation.ts';

/** An attestation of any kind. */
type AnyAttested = Omit<Attested<unknown>, 'gathered'>;

/** The facts that every attestation shows: its commit, where it is recorded, and its file. */
export function attestationFacts({
  commit,
  flow,
  trail,
  trailPageUrl,
  attestationName,
  attestationUrl,
  description,
  attachment,
  unattached,
}: AnyAttested): readonly Fact[] {
  return [
    ...commitFacts(commit),
    ...fact('Flow', flow),
    ...fact('Trail', trail, trailPageUrl),
    ...fact('Attestation', attestationName, attestationUrl),
    ...fact('Description', description),
    ...fact('Attachment', describeAttachment(attachment)),
    ...fact('Not attached', describeUnattached(unattached)),
  ];
}

/**
 * The trail with this one attestation.
 *
 * @param verdict undefined if it is not known
 * @param href the page with the details of the evidence; by default that of the attestation, or of the trail
 * @param notes one sentence each
 */
export function attestationEvidence(
  { trail, trailPageUrl, attestationUrl, commit, attestationName, remarks }: AnyAttested,
  verdict: Verdict | undefined,
  {
    href = attestationUrl ?? trailPageUrl,
    notes = [],
  }: { readonly href?: string | undefined; readonly notes?: readonly string[] } = {},
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
    notes: [...notes, ...remarks.map(({ what, remedy }) => `⚠️ ${what}. ${remedy}`)],
  };
}

/**
 * The conclusion about an attestation: its verdict and why, what is wrong with its record, and where it is recorded.
 *
 * @param notes one sentence each
 */
export function concludeAttestation(
  { verdict, reasons, remarks, judgement, flow, attestationName, commit, isRecorded }: AnyAttested,
  notes: readonly string[] = [],
): string {
  const recorded = `Recorded as ${attestationName} in flow ${flow}, for commit ${abbreviate(commit.sha1)}.`;
  const sentence =
    verdict === 'compliant'
      ? `${attestationName} is compliant: ${withoutFullStop(judgement.reason)}`
      : `${attestationName} is ${toArtifactState(verdict)}`;
  return concludeWithReasons(sentence, reasons, {
    subject: attestationName,
    more: [...notes, ...remarks.map(({ what }) => `${what}.`), ...(isRecorded ? [recorded] : [])],
  });
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
