import type { ListedAttestation } from '../../contract/attestation-list.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { type Reason, verdictFromReasons } from '../../contract/reason.ts';
import { formatTime } from '../format-time.ts';
import { readReasons } from '../reasons.ts';
import { complianceLabel, link, listTable, plain, type Table, type Text } from '../report.ts';
import { compareAge, type ListOrder, type Recorded } from './attestation-order.ts';
import { explainAttestation } from './attestation-reasons.ts';
import {
  artifactLabel,
  attestationLabel,
  attestationTrail,
  namesArtifact,
  toAttestationSubject,
} from './attestation-subject.ts';
import { DigestIndex } from './digest-index.ts';

/** How many rows the table has at most; the whole list may not fit into memory. */
const maximumRows = 200;

/** How many attestations without a pass give their reasons at most, of each kind. */
const maximumExplained = 50;

const columns = ['Attestation', 'Trail', 'Artifact', 'Type', 'Compliant', 'Created', 'Reported by', 'Description'];

/** The possible verdicts of one attestation, the worst last. */
const marks = ['compliant', 'unknown', 'notCompliant'] as const;

type Mark = (typeof marks)[number];

/**
 * Counts and judges attestations page by page, each once, in any order. An attestation counts unless a newer one with
 * the same name, trail and artifact replaces it. One without a name, trail or time always counts.
 */
export class AttestationTally {
  // Both remember the beginning of a digest of each text. A collision of identifiers makes the list incomplete; a
  // collision of subjects could open the gate, so those keep more bytes.
  readonly #identifiers = new DigestIndex(8);
  readonly #subjects = new DigestIndex(16);
  /** The newest attestation of each subject, by the subject's number. */
  readonly #latest: Latest[] = [];
  readonly #counting = { compliant: 0, unknown: 0, notCompliant: 0 };
  readonly #rows = new FirstCounting(maximumRows, toRow);
  readonly #reasons = {
    notCompliant: new FirstCounting(maximumExplained, explainAttestation),
    unknown: new FirstCounting(maximumExplained, explainAttestation),
  };
  #replaced = 0;
  #replacedNotCompliant = 0;
  #namesArtifacts = false;

  /**
   * Adds attestations, except those that were added before.
   *
   * @param attestations the newest first
   * @param order the service's order. It decides between two of the same time; if it is unknown, the worse one counts
   * @returns the new ones
   */
  add(attestations: readonly ListedAttestation[], order: ListOrder): readonly ListedAttestation[] {
    return attestations.filter((attestation) => {
      const before = this.#identifiers.size;
      if (this.#identifiers.add(attestation.attestation_id) < before) return false;
      this.#addNew(attestation, order);
      return true;
    });
  }

  #addNew(attestation: ListedAttestation, order: ListOrder): void {
    this.#namesArtifacts ||= namesArtifact(attestation);
    const subject = toAttestationSubject(attestation);
    const { created_at: time, sequence } = attestation;
    if (subject === undefined || time === undefined) {
      this.#count(attestation, undefined);
      return;
    }
    const mark = toMark(attestation);
    const number = this.#subjects.add(JSON.stringify([subject.trail, subject.artifact, subject.name]));
    const known = this.#latest[number];
    if (known !== undefined) {
      const age = compareAge(attestation, known);
      const isNewer = age > 0 || (age === 0 && order === 'unknown' && marks.indexOf(mark) > marks.indexOf(known.mark));
      this.#noteReplaced(isNewer ? known.mark : mark);
      if (!isNewer) return;
      this.#uncount(known.mark, number);
    }
    this.#latest[number] = { created_at: time, sequence, mark };
    this.#count(attestation, number);
  }

  #count(attestation: ListedAttestation, subject: number | undefined): void {
    const mark = toMark(attestation);
    this.#counting[mark] += 1;
    this.#rows.add(attestation, subject);
    if (mark !== 'compliant') this.#reasons[mark].add(attestation, subject);
  }

  #uncount(mark: Mark, subject: number): void {
    this.#counting[mark] -= 1;
    this.#rows.remove(subject);
    if (mark !== 'compliant') this.#reasons[mark].remove(subject);
  }

  #noteReplaced(mark: Mark): void {
    this.#replaced += 1;
    if (mark === 'notCompliant') this.#replacedNotCompliant += 1;
  }

  /** How many different attestations were listed. */
  get listed(): number {
    return this.#identifiers.size;
  }

  /** How many of them count. */
  get counting(): number {
    const { compliant, notCompliant, unknown } = this.#counting;
    return compliant + notCompliant + unknown;
  }

  /** How many were replaced by a newer one. */
  get replaced(): number {
    return this.#replaced;
  }

  /** How many non-compliant ones were replaced although the service never names the artifact. */
  get guessedReplacements(): number {
    return this.#namesArtifacts ? 0 : this.#replacedNotCompliant;
  }

  /**
   * The verdict if the list is complete: non-compliant if one attestation is, else incomplete if one has no verdict or
   * if there is no attestation at all.
   */
  get verdict(): Verdict {
    if (this.#counting.notCompliant > 0) return 'non-compliant';
    return this.#counting.unknown > 0 || this.listed === 0 ? 'incomplete' : 'compliant';
  }

  /** The counts in words: `12 compliant, 1 not compliant`. */
  get words(): string {
    const { compliant, notCompliant, unknown } = this.#counting;
    const unjudged = unknown === 0 ? '' : `, ${unknown} without a verdict`;
    return `${compliant} compliant, ${notCompliant} not compliant${unjudged}`;
  }

  /** Why the attestations that count are not compliant, the worst first. */
  get reasons(): readonly Reason[] {
    const { notCompliant, unknown } = this.#counting;
    const [failed, open] = [this.#reasons.notCompliant.kept, this.#reasons.unknown.kept];
    return [
      ...failed.flat(),
      ...countOthers('failed', notCompliant - failed.length, 'not compliant'),
      ...open.flat(),
      ...countOthers('incomplete', unknown - open.length, 'without a verdict'),
    ];
  }

  /** The attestations that count. */
  get tables(): readonly Table[] {
    return listTable('Attestations', columns, this.#rows.kept, this.counting);
  }
}

function countOthers(state: Reason['state'], count: number, value: string): readonly Reason[] {
  return count > 0 ? [{ state, about: `${count} more`, value }] : [];
}

interface Latest extends Recorded {
  readonly mark: Mark;
}

/** Keeps what is shown of the first attestations that count. */
class FirstCounting<Shown> {
  readonly #maximum: number;
  readonly #show: (attestation: ListedAttestation) => Shown;
  #kept: readonly { readonly subject: number | undefined; readonly shown: Shown }[] = [];

  constructor(maximum: number, show: (attestation: ListedAttestation) => Shown) {
    this.#maximum = maximum;
    this.#show = show;
  }

  add(attestation: ListedAttestation, subject: number | undefined): void {
    if (this.#kept.length >= this.#maximum) return;
    this.#kept = [...this.#kept, { subject, shown: this.#show(attestation) }];
  }

  remove(subject: number): void {
    this.#kept = this.#kept.filter((kept) => kept.subject !== subject);
  }

  get kept(): readonly Shown[] {
    return this.#kept.map(({ shown }) => shown);
  }
}

/** Evidence that proves neither a pass nor a failure is not compliant either: its reasons tell that it did not fail. */
function toMark({ is_compliant: compliant, reasons }: ListedAttestation): Mark {
  if (compliant === undefined || compliant === null) return 'unknown';
  if (compliant) return 'compliant';
  return verdictFromReasons(readReasons(reasons)) === 'incomplete' ? 'unknown' : 'notCompliant';
}

const compliance: Readonly<Record<Mark, boolean | undefined>> = {
  compliant: true,
  notCompliant: false,
  unknown: undefined,
};

function toRow(attestation: ListedAttestation): readonly Text[] {
  return [
    link(attestationLabel(attestation), attestation.html_url ?? undefined),
    plain(attestationTrail(attestation) ?? 'unknown'),
    plain(artifactLabel(attestation)),
    plain(attestation.attestation_type ?? ''),
    plain(complianceLabel(compliance[toMark(attestation)])),
    plain(formatTime(attestation.created_at) ?? ''),
    plain(attestation.reported_by ?? ''),
    plain(attestation.description ?? ''),
  ];
}
