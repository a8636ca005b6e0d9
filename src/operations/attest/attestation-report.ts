import type { GitCommitInfo } from '../../contract/commit.ts';
import { toArtifactState } from '../../contract/compliance.ts';
import type { Attachment } from '../../evidence/attachment/attachment.ts';
import type { UnattachedFiles } from '../../evidence/attachment/unattached-files.ts';
import { formatBytes } from '../../evidence/files/format-bytes.ts';
import type { Failure } from '../../runtime/failure.ts';
import { commitFacts } from '../commit-facts.ts';
import type { OperationResult } from '../operation.ts';
import { concludeWithReasons } from '../reasons.ts';
import { abbreviate, type Evidence, type Fact, fact, type Table } from '../report.ts';
import { pluralize, withoutFullStop } from '../sentences.ts';
import type { Assessment } from './assess-attestation.ts';
import type { AttachedFiles } from './attach-files.ts';

/** An attestation that was recorded, or that is to be recorded later. */
export interface Attested extends AttachedFiles, Assessment {
  readonly flow: string;
  readonly trail: string;
  readonly attestationName: string;
  readonly description: string | undefined;
  readonly commit: GitCommitInfo;
  /** Whether the service has it. */
  readonly isRecorded: boolean;
  /** The page of the trail; undefined if the attestation is not recorded. */
  readonly trailPageUrl: string | undefined;
  readonly response: unknown;
}

/** What evidence of one kind shows besides what all attestations do. */
export interface EvidencePresentation {
  readonly subject: string;
  /** Shown before the facts that all attestations have. */
  readonly facts?: readonly Fact[];
  readonly tables?: readonly Table[];
  /** The page with the details of the evidence; by default that of the attestation, or of the trail. */
  readonly href?: string | undefined;
  /** One sentence each, which the conclusion has, too. */
  readonly notes?: readonly string[];
  /** The source's own word for the state. */
  readonly state?: string;
  /** Why the evidence has no verdict. */
  readonly failure?: Failure | undefined;
}

/** The result of recording an attestation: its verdict decides. */
export function createAttestationResult(attested: Attested, presentation: EvidencePresentation): OperationResult {
  const { verdict, reasons, attestationUrl, trailPageUrl, commit, response } = attested;
  const { subject, facts = [], tables = [], href, notes = [], state, failure } = presentation;
  return {
    ...(failure === undefined ? { outcome: verdict } : { outcome: 'error', failure }),
    state,
    conclusion: conclude(attested, notes),
    response,
    htmlUrl: href ?? trailPageUrl,
    attestationUrl,
    commits: [commit.sha1],
    report: {
      subject,
      reasons,
      evidence: toEvidence(attested, presentation),
      facts: [...facts, ...commonFacts(attested)],
      tables,
    },
  };
}

/** The facts that every attestation shows: its commit, where it is recorded, and its file. */
function commonFacts(attested: Attested): readonly Fact[] {
  return [
    ...commitFacts(attested.commit),
    ...fact('Flow', attested.flow),
    ...fact('Trail', attested.trail, attested.trailPageUrl),
    ...fact('Attestation', attested.attestationName, attested.attestationUrl),
    ...fact('Description', attested.description),
    ...fact('Attachment', describeAttachment(attested.attachment)),
    ...fact('Not attached', describeUnattached(attested.unattached)),
  ];
}

/**
 * What was recorded, without the trail and the commit, which all steps of a job have in common: they are among the
 * facts.
 */
function toEvidence(
  { attestationName, reasons, remarks, judgement, isRecorded }: Attested,
  { notes = [] }: EvidencePresentation,
): Evidence {
  const warnings = [...notes, ...remarks.map(({ what, remedy }) => `${what}. ${remedy}`)];
  const isExplained = reasons.length > 0 || !isRecorded;
  return {
    notes: [
      ...(isExplained ? [] : [`${attestationName}: ${withoutFullStop(judgement.reason)}.`]),
      ...warnings.map((note) => `⚠️ ${note}`),
    ],
  };
}

/** The verdict and why, what is wrong with the record, and where it is recorded. */
function conclude(
  { verdict, reasons, remarks, judgement, flow, attestationName, commit, isRecorded }: Attested,
  notes: readonly string[],
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
