import type { RunningArtifact } from '../../snapshot/running-artifact.ts';
import {
  type EnvironmentHead,
  mergeMemberArtifacts,
  parseArtifacts,
  parseMembers,
  type SnapshotReference,
} from '../../snapshot/snapshot.ts';
import type { ReadTransaction } from '../database/storage.ts';

/** The maximum total size of members' contents that is merged, in bytes. */
const maximumContentBytes = 8 * 1024 * 1024;

/** The content of a snapshot. It can be very large, so it is loaded only when it is needed. */
export class SnapshotContent {
  /** The content as it is stored. */
  readonly json: string;
  /** The members' snapshots, for a logical environment; empty for all others. */
  readonly members: readonly SnapshotReference[];
  readonly #org: string;
  readonly #snapshots: ReadTransaction['snapshots'];
  readonly #isLogical: boolean;
  #artifacts: Promise<readonly RunningArtifact[]> | undefined;

  /** @param artifacts what the content contains, if it is known */
  constructor(
    { snapshots }: Pick<ReadTransaction, 'snapshots'>,
    { org, kind }: Pick<EnvironmentHead, 'org' | 'kind'>,
    json: string,
    artifacts?: readonly RunningArtifact[],
  ) {
    this.json = json;
    this.#org = org;
    this.#snapshots = snapshots;
    this.#isLogical = kind === 'logical';
    this.#artifacts = artifacts && Promise.resolve(artifacts);
    this.members = this.#isLogical ? parseMembers(json) : [];
  }

  artifacts(): Promise<readonly RunningArtifact[]> {
    this.#artifacts ??= this.#load();
    return this.#artifacts;
  }

  async #load(): Promise<readonly RunningArtifact[]> {
    if (!this.#isLogical) return parseArtifacts(this.json);
    const contents = await this.#snapshots.listContents(this.#org, this.members);
    // Snapshots are not deleted, so there is one for each reference.
    const names = contents.length === this.members.length ? this.members.map(({ environment }) => environment) : [];
    const members = contents.map((json, index) => ({
      environment: names[index] ?? '',
      artifacts: parseArtifacts(json),
    }));
    return mergeMemberArtifacts(members);
  }

  /** The total size of the members' contents in bytes; 0 if there are no members. */
  findMemberBytes(): Promise<number> {
    return this.#snapshots.findContentBytes(this.#org, this.members);
  }

  /** Whether the members' contents are too large to be merged. */
  async isTooLarge(): Promise<boolean> {
    return (await this.findMemberBytes()) > maximumContentBytes;
  }
}
