import { parseArtifacts, parseMembers, type MemberReference } from '../../domain/environment/snapshot-content.ts';
import { mergeMemberArtifacts } from '../../domain/environment/snapshot.ts';
import type { RunningArtifact } from '../../domain/environment/running-artifact.ts';
import type { EnvironmentHead } from '../../storage/environments.ts';
import type { ReadTransaction } from '../../storage/storage.ts';

/** How much of the members of a logical environment is put together at once, in bytes. */
const maximumContentBytes = 8 * 1024 * 1024;

/** What a snapshot shows. It is read and put together only when it is asked for, because it can be very much. */
export class SnapshotContent {
  /** As it is stored. */
  readonly json: string;
  /** The snapshots that one of a logical environment shows; empty for all others. */
  readonly members: readonly MemberReference[];
  readonly #org: string;
  readonly #snapshots: ReadTransaction['snapshots'];
  readonly #isLogical: boolean;
  #artifacts: Promise<readonly RunningArtifact[]> | undefined;

  constructor(
    { snapshots }: Pick<ReadTransaction, 'snapshots'>,
    { org, kind }: Pick<EnvironmentHead, 'org' | 'kind'>,
    json: string,
  ) {
    this.json = json;
    this.#org = org;
    this.#snapshots = snapshots;
    this.#isLogical = kind === 'logical';
    this.members = this.#isLogical ? parseMembers(json) : [];
  }

  /** What runs. */
  artifacts(): Promise<readonly RunningArtifact[]> {
    this.#artifacts ??= this.#load();
    return this.#artifacts;
  }

  async #load(): Promise<readonly RunningArtifact[]> {
    if (!this.#isLogical) return parseArtifacts(this.json);
    const contents = await this.#snapshots.listContents(this.#org, this.members);
    return mergeMemberArtifacts(contents.map(parseArtifacts));
  }

  /** How many bytes the contents of the members have; 0 if there are none. */
  findMemberBytes(): Promise<number> {
    return this.#snapshots.findContentBytes(this.#org, this.members);
  }

  /** Whether the members show more than is put together at once. */
  async isTooLarge(): Promise<boolean> {
    return (await this.findMemberBytes()) > maximumContentBytes;
  }
}
