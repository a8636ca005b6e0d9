import type { DatabaseSync } from 'node:sqlite';
import type { Attestation, Flow, ReportedArtifact, StoredKey, TrailDossier } from '../../domain/records.ts';
import { evidenceName, scopesOfAttestation } from '../../domain/binding.ts';
import { longestDossierList, type ArtifactFinding, type ArtifactQuery, type FlowToSave, type Store } from '../store.ts';
import { findArtifact } from './artifact-search.ts';
import { openDatabase } from './database.ts';
import { artifactOf, attestationOf, flowOf, keyOf, number, summaryOf, trailOf } from './rows.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { WriteQueue } from './write-queue.ts';

/** The store of one machine: an SQLite database in the data folder, used by one process. */
export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #queue: WriteQueue;

  constructor(folder: string) {
    this.#database = openDatabase(folder);
    this.#statements = prepareStatements(this.#database);
    this.#queue = new WriteQueue(this.#database);
  }

  createOrganization(name: string, createdAt: number): Promise<'created' | 'exists'> {
    return this.#queue.write(() => {
      const { changes } = this.#statements.createOrganization.run(name, createdAt);
      return changes === 0 ? 'exists' : 'created';
    });
  }

  hasOrganization(name: string): Promise<boolean> {
    return answer(() => this.#statements.hasOrganization.get(name) !== undefined);
  }

  addKey(key: StoredKey): Promise<'added' | 'exists' | 'organization not found'> {
    return this.#queue.write(() => {
      if (this.#statements.hasOrganization.get(key.org) === undefined) return 'organization not found';
      const { org, id, owner, role, secretHash, createdAt, revokedAt = null } = key;
      const { changes } = this.#statements.addKey.run(org, id, owner, role, secretHash, createdAt, revokedAt);
      return changes === 0 ? 'exists' : 'added';
    });
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return answer(() => optional(this.#statements.findKey.get(id), keyOf));
  }

  hasKeys(org: string): Promise<boolean> {
    return answer(() => this.#statements.hasKeys.get(org) !== undefined);
  }

  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'> {
    return this.#queue.write(() => {
      const { changes } = this.#statements.revokeKey.run(revokedAt, org, id);
      return changes === 0 ? 'not found' : 'revoked';
    });
  }

  saveFlow(flow: FlowToSave, savedAt: number): Promise<'created' | 'updated'> {
    return this.#queue.write(() => {
      const { org, name, description, visibility = null, repoUrl = null } = flow;
      const known = this.#hasFlow(org, name);
      const template = JSON.stringify(flow.template);
      this.#statements.saveFlow.run(org, name, description, visibility, template, repoUrl, savedAt, savedAt);
      return known ? 'updated' : 'created';
    });
  }

  findFlow(org: string, name: string): Promise<Flow | undefined> {
    return answer(() => optional(this.#statements.findFlow.get(org, name), flowOf));
  }

  recordAttestation(attestation: Attestation): Promise<'recorded' | 'flow not found'> {
    // Written out before the turn that commits, which everyone waits for.
    const document = JSON.stringify(attestation.document);
    return this.#queue.write(() => this.#recordAttestation(attestation, document));
  }

  #recordAttestation(attestation: Attestation, document: string): 'recorded' | 'flow not found' {
    const { org, flow, trail, id, name, type, verdict, reason, createdAt, reportedBy, attachment } = attestation;
    if (!this.#hasFlow(org, flow)) return 'flow not found';
    const { artifact_fingerprint, target_artifacts, git_commit_info } = attestation.document;
    const scopes = scopesOfAttestation({
      trail,
      attestation_name: name,
      artifact_fingerprint,
      target_artifacts,
      git_commit: git_commit_info?.sha1,
    });
    const statements = this.#statements;
    statements.makeTrail.run(org, flow, trail, createdAt);
    const sequence = number(statements.nextAttestation.get(org, flow) ?? {}, 'next');
    const { filename = null, digest = null, size = null } = attachment ?? {};
    statements.recordAttestation.run(
      ...[org, flow, sequence, trail, id, name, type, verdict, reason, createdAt, reportedBy],
      ...[filename, digest, size, document],
    );
    for (const scope of scopes) {
      statements.bind.run(org, flow, scope, sequence);
      statements.makeCurrent.run(org, flow, scope, evidenceName(name), sequence);
    }
    return 'recorded';
  }

  recordArtifact(artifact: ReportedArtifact): Promise<'recorded' | 'flow not found'> {
    const report = JSON.stringify(artifact.report);
    return this.#queue.write(() => {
      const { org, flow, id, createdAt, reportedBy } = artifact;
      if (!this.#hasFlow(org, flow)) return 'flow not found';
      const { trail_name: trail, fingerprint } = artifact.report;
      this.#statements.makeTrail.run(org, flow, trail, createdAt);
      const sequence = number(this.#statements.nextArtifact.get(org, flow) ?? {}, 'next');
      this.#statements.recordArtifact.run(org, flow, sequence, trail, id, fingerprint, createdAt, reportedBy, report);
      return 'recorded';
    });
  }

  findArtifact(query: ArtifactQuery): Promise<ArtifactFinding> {
    return answer(() => findArtifact(this.#statements, query));
  }

  findTrail(org: string, flow: string, trail: string): Promise<TrailDossier | undefined> {
    return answer(() =>
      optional(this.#statements.findTrail.get(org, flow, trail), (row) => ({
        trail: trailOf(row),
        artifacts: this.#statements.artifactsOfTrail.all(org, flow, trail, longestDossierList).map(artifactOf),
        attestations: this.#statements.attestationsOfTrail.all(org, flow, trail, longestDossierList).map(summaryOf),
      })),
    );
  }

  findAttestation(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined> {
    return answer(() => optional(this.#statements.findAttestation.get(org, id, flow, trail), attestationOf));
  }

  isAttached(digest: string): Promise<boolean> {
    return answer(() => this.#statements.isAttached.get(digest) !== undefined);
  }

  close(): Promise<void> {
    return answer(() => {
      this.#queue.flush();
      this.#database.close();
    });
  }

  #hasFlow(org: string, flow: string): boolean {
    return this.#statements.hasFlow.get(org, flow) !== undefined;
  }
}

/** Reads are short and the connection belongs to this thread, so they happen at once; what they throw rejects. */
async function answer<Result>(read: () => Result): Promise<Result> {
  return Promise.resolve(read());
}

function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}
