import type { AttestationPlace, InsertConditions, Latest, NewAttestation } from '../attestations.ts';

/**
 * What a transaction has read about insertions of attestations. It holds the lock of its organization, so only its own
 * insertions change that.
 */
export class KnownConditions {
  readonly #conditions = new Map<string, InsertConditions>();
  /** The latest inserted attestation of each flow. */
  readonly #latest = new Map<string, Latest>();
  /** The scopes, with their flow, and the idempotency keys of inserted attestations. */
  readonly #changed = new Set<string>();

  /** Returns what is known about an insertion; undefined if it must be read. */
  get(place: AttestationPlace): InsertConditions | undefined {
    const known = this.#conditions.get(toKey(place));
    if (known === undefined || toParts(place).some((part) => this.#changed.has(part))) return undefined;
    return { ...known, latest: this.#latest.get(place.flow) ?? known.latest };
  }

  /** Keeps what was read. */
  add(place: AttestationPlace, conditions: InsertConditions): void {
    this.#conditions.set(toKey(place), conditions);
  }

  /** Call it for every insertion. */
  noteInsertion({ flow, scopes, requestKey, sequence, createdAt }: NewAttestation): void {
    this.#latest.set(flow, { sequence, createdAt });
    for (const part of toParts({ flow, scopes, key: requestKey?.key })) this.#changed.add(part);
  }
}

/** The records that conditions depend on, except for the latest attestation. */
function toParts({ flow, scopes, key }: Pick<AttestationPlace, 'flow' | 'scopes' | 'key'>): readonly string[] {
  const inScopes = scopes.map((scope) => JSON.stringify([flow, scope]));
  return key === undefined ? inScopes : [...inScopes, JSON.stringify([key])];
}

function toKey({ flow, scopes, evidence, key, maximumNames }: AttestationPlace): string {
  return JSON.stringify([flow, scopes, evidence, key, maximumNames]);
}
