/** Identifies a request: keys are unique within an endpoint of an organization, and contain their senders. */
export interface RequestKey {
  readonly org: string;
  /** The endpoint. */
  readonly scope: string;
  /** The idempotency key. */
  readonly key: string;
}

/** The idempotency key of the request that made a record. */
export interface RecordKey {
  readonly key: string;
  /** The digest of the request, which tells a repeated request from another one with the same key. */
  readonly digest: string;
}

/** A success response. */
export interface Answer {
  readonly status: number;
  /** As JSON. */
  readonly body: string;
}

/** The answer to a request. */
export interface RememberedAnswer extends Answer {
  /** The digest of the request. */
  readonly digest: string;
  /** In Unix seconds. */
  readonly answeredAt: number;
}

/** Reads and writes the answers to requests that do not append a record, which could hold the key itself. */
export interface RememberedAnswerWriter {
  /** Finds an answer that was given after this time. */
  find(request: RequestKey, after: number): Promise<RememberedAnswer | undefined>;
  /** Replaces an earlier answer. The organization must exist. */
  save(request: RequestKey, answer: RememberedAnswer): Promise<void>;
  /** Deletes the oldest answers that were not given after this time, at most as many as the limit. */
  deleteOldest(after: number, limit: number): Promise<void>;
}
