import type {
  AttestationPlace,
  FlowReference,
  InsertConditions,
  LatestAttestation,
  NewAttestation,
} from '../attestations.ts';

/**
 * What a transaction has read about insertions of attestations. It holds the locks of their organizations, so only its
 * own insertions change that.
 */
export class KnownConditions {
  readonly #conditions = new Map<string, InsertConditions>();
  /** The latest inserted attestation of each flow, by the flow with its organization. */
  readonly #latest = new Map<string, LatestAttestation>();
  /** The scopes and the idempotency keys of inserted attestations; see `toParts`. */
  readonly #changed = new Set<string>();

  /** Returns what is known about an insertion; undefined if it must be read. */
  get(place: AttestationPlace): InsertConditions | undefined {
    const known = this.#conditions.get(toKey(place));
    if (known === undefined || toParts(place).some((part) => this.#changed.has(part))) return undefined;
    return { ...known, latest: this.#latest.get(toFlowKey(place)) ?? known.latest };
  }

  /** Keeps what was read. */
  add(place: AttestationPlace, conditions: InsertConditions): void {
    this.#conditions.set(toKey(place), conditions);
  }

  /** Call it for every insertion. */
  noteInsertion({ org, flow, scopes, requestKey, sequence, createdAt }: NewAttestation): void {
    this.#latest.set(toFlowKey({ org, flow }), { sequence, createdAt });
    for (const part of toParts({ org, flow, scopes, key: requestKey?.key })) this.#changed.add(part);
  }
}

/** The records that conditions depend on, except for the latest attestation. */
function toParts({
  org,
  flow,
  scopes,
  key,
}: Pick<AttestationPlace, 'org' | 'flow' | 'scopes' | 'key'>): readonly string[] {
  const inScopes = scopes.map((scope) => JSON.stringify([org, flow, scope]));
  return key === undefined ? inScopes : [...inScopes, JSON.stringify([org, key])];
}

function toFlowKey({ org, flow }: FlowReference): string {
  return JSON.stringify([org, flow]);
}

function toKey({ org, flow, scopes, evidence, key, maximumNames }: AttestationPlace): string {
  return JSON.stringify([org, flow, scopes, evidence, key, maximumNames]);
}
