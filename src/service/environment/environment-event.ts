import type { Trigger } from '../../contract/notification.ts';

export interface EventArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** The flow that the artifact was reported to, with its build; absent without provenance. */
  readonly provenance?:
    | {
        readonly flow: string;
        readonly commit: string;
        readonly commitUrl: string;
        readonly buildUrl: string;
      }
    | undefined;
}

/**
 * An event in an environment that can trigger a notification (interface, Events). Recorded in the transaction that
 * creates the snapshot, and delivered from the outbox afterwards.
 */
export interface EnvironmentEvent {
  readonly trigger: Trigger;
  readonly org: string;
  readonly environment: string;
  /** The number of the snapshot that it belongs to. */
  readonly snapshot: number;
  /** The verdict of that snapshot; null for an environment without policies. */
  readonly compliant: boolean | null;
  /** What happened, as a sentence. */
  readonly description: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly artifact?: EventArtifact | undefined;
  /** Present if this event summarizes many events of the snapshot; `trigger` is then that of the most important one. */
  readonly digest?: EventDigest | undefined;
}

/** Many events of one snapshot in one message. */
export interface EventDigest {
  readonly total: number;
  /** The events by their trigger, the most important first. */
  readonly groups: readonly DigestGroup[];
}

export interface DigestGroup {
  readonly trigger: Trigger;
  readonly count: number;
  /** The first artifacts that they are about; none if they are about the environment. */
  readonly artifacts: readonly { readonly name: string; readonly fingerprint: string }[];
}
