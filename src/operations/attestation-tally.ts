import type { ListedAttestation } from '../contract/attestation-list.ts';
import type { Verdict } from '../contract/compliance.ts';
import { complianceSign, link, plain, type Table, type Text } from './report.ts';
import { RowCollector } from './row-collector.ts';
import { readableTime } from './time.ts';

/** How many rows each table keeps; a list can be longer than memory. */
const keptRows = 200;

/** How many names of attestations that are not compliant a sentence holds. */
const keptNames = 3;

const columns = ['Attestation', 'Type', 'Compliant', 'Created', 'Reported by', 'Description'];

/** Counts and judges attestations as they come. */
export class AttestationTally {
  readonly #all = new RowCollector(keptRows, rowOf);
  readonly #notCompliant = new RowCollector(keptRows, rowOf);
  readonly #counts = { compliant: 0, notCompliant: 0, unknown: 0 };
  readonly #names = new Set<string>();

  add(attestations: readonly ListedAttestation[]): void {
    for (const attestation of attestations) this.#addOne(attestation);
  }

  #addOne(attestation: ListedAttestation): void {
    this.#all.add(attestation);
    switch (attestation.is_compliant) {
      case true:
        this.#counts.compliant += 1;
        return;
      case false:
        this.#counts.notCompliant += 1;
        this.#notCompliant.add(attestation);
        if (this.#names.size <= keptNames) this.#names.add(nameOf(attestation));
        return;
      default:
        this.#counts.unknown += 1;
    }
  }

  get count(): number {
    const { compliant, notCompliant, unknown } = this.#counts;
    return compliant + notCompliant + unknown;
  }

  /**
   * One that is not compliant decides. Otherwise one without a verdict leaves the evidence incomplete, and so does a list
   * of nothing: no evidence proves nothing.
   */
  get verdict(): Verdict {
    if (this.#counts.notCompliant > 0) return 'non-compliant';
    return this.#counts.unknown > 0 || this.count === 0 ? 'incomplete' : 'compliant';
  }

  /** The counts in words: `12 compliant, 1 not compliant`. */
  get words(): string {
    const { compliant, notCompliant, unknown } = this.#counts;
    const unjudged = unknown === 0 ? '' : `, ${unknown} without a verdict`;
    return `${compliant} compliant, ${notCompliant} not compliant${unjudged}`;
  }

  /** The names of those that are not compliant, each once; cut after a few. */
  get notCompliantNames(): string {
    const names = [...this.#names];
    return names.slice(0, keptNames).join(', ') + (names.length > keptNames ? ' and others' : '');
  }

  /** Those that are not compliant first, because they are what a reader looks for. */
  get tables(): readonly Table[] {
    const notCompliant = this.#notCompliant.table('❌ Not compliant', columns);
    return this.#counts.notCompliant === this.count
      ? notCompliant
      : [...notCompliant, ...this.#all.table('Attestations', columns)];
  }
}

function nameOf({ attestation_name: name, attestation_id: id }: ListedAttestation): string {
  return name ?? id;
}

function rowOf(attestation: ListedAttestation): readonly Text[] {
  return [
    link(nameOf(attestation), attestation.html_url ?? undefined),
    plain(attestation.attestation_type ?? ''),
    plain(complianceSign(attestation.is_compliant)),
    plain(readableTime(attestation.created_at) ?? ''),
    plain(attestation.reported_by ?? ''),
    plain(attestation.description ?? ''),
  ];
}
