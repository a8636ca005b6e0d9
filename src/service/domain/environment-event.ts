import type { Trigger } from '../../contract/notification.ts';

/** The artifact that an event is about. */
export interface EventArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** The flow that knows the artifact, and what its build said; absent for an artifact without provenance. */
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
 * Something that happened in an environment and that a notification can fire on (interface, Events). Raised in the
 * transaction that makes the snapshot, and delivered from the outbox afterwards.
 */
export interface EnvironmentEvent {
  readonly trigger: Trigger;
  readonly org: string;
  readonly environment: string;
  /** The snapshot that shows it. */
  readonly snapshot: number;
  /** The verdict of that snapshot; null for an environment without policies. */
  readonly compliant: boolean | null;
  /** What happened, as a sentence. */
  readonly description: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly artifact?: EventArtifact | undefined;
  /** Present if this stands for many events of the snapshot; `trigger` is then the one of the most important event. */
  readonly digest?: EventDigest | undefined;
}

/** Many events of one snapshot in one message. */
export interface EventDigest {
  /** How many events it stands for. */
  readonly total: number;
  /** The events by their trigger, the most important first. */
  readonly groups: readonly DigestGroup[];
}

/** The events of one trigger. */
export interface DigestGroup {
  readonly trigger: Trigger;
  readonly count: number;
  /** The first artifacts that they are about; none if they are about the environment. */
  readonly artifacts: readonly { readonly name: string; readonly fingerprint: string }[];
}
