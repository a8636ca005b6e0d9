import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { type SonarAttestation, sonarAttestation } from '../src/contract/attestations/sonar.ts';
import { conforms } from '../src/contract/check.ts';
import { recordArtifact } from '../src/service/artifact/artifact-use-cases.ts';
import { recordAttestation } from '../src/service/attestation/attestation-use-cases.ts';
import { recordReport, saveEnvironment } from '../src/service/environment/environment-use-cases.ts';
import { saveFlow } from '../src/service/flow/flow-use-cases.ts';
import { createOrganization } from '../src/service/organization/organization-use-cases.ts';
import { SqliteStorage } from '../src/service/platform/database/sqlite/sqlite-storage.ts';
import type { Storage } from '../src/service/platform/database/storage.ts';
import { newIdentifier } from '../src/service/platform/identifier.ts';
import { Judging } from '../src/service/platform/judging/judging.ts';
import { storageDependencies } from '../test/support/storage-dependencies.ts';
import { startTrialService } from '../trial/trial-service.ts';
import { attestationDocument } from './requests.ts';

/** How many records a service has before it starts. */
export interface Filling {
  /** All in one flow, ten per trail, which is realistic for the jobs of one commit. */
  readonly attestations: number;
  /** Each in its own trail, which has attestations, too. */
  readonly artifacts: number;
  /** All of one environment. */
  readonly snapshots: number;
}

/** A running service with many records. */
export interface FilledService {
  readonly baseUrl: string;
  readonly port: number;
  readonly org: string;
  readonly flow: string;
  readonly environment: string;
  readonly key: string;
  readonly commit: string;
}

/** The organization, flow and key of a filled service. */
export interface Owner {
  /** The data folder, which is created. */
  readonly data: string;
  readonly org: string;
  readonly flow: string;
  readonly key: string;
  readonly commit: string;
}

const environment = 'production';
const attestationsOfTrail = 10;

/** The time of the first attestation in Unix seconds. The others follow every ten milliseconds. */
export const firstMoment = 1_780_000_000;
const step = 0.01;

/** The trail of an attestation. The first attestation of the flow has place 0. */
export function trailOf(place: number): string {
  return `trail-${Math.floor(place / attestationsOfTrail)}`;
}

/** The fingerprint of an artifact. The first artifact of the flow has place 0. */
export function fingerprintAt(place: number): string {
  return createHash('sha256').update(`artifact ${place}`).digest('hex');
}

/** The Unix second in which an attestation was made. */
export function secondOf(place: number): number {
  return Math.floor(momentOf(place));
}

function momentOf(place: number): number {
  return firstMoment + place * step;
}

/**
 * Runs work against a service with many records. They are written through its storage before it starts, because
 * requests would take minutes. The records are the same.
 */
export async function withFilledService<Result>(
  owner: Owner,
  filling: Filling,
  work: (filled: FilledService) => Promise<Result>,
): Promise<Result> {
  await mkdir(owner.data);
  const storage = new SqliteStorage(owner.data, storageDependencies());
  try {
    await fill(storage, owner, filling);
  } finally {
    await storage.close();
  }
  const { org, flow, key, commit } = owner;
  const service = await startTrialService(owner.data, org, key);
  try {
    const { baseUrl } = service;
    return await work({ baseUrl, port: Number(new URL(baseUrl).port), org, flow, environment, key, commit });
  } finally {
    await service.stop();
  }
}

/** Writes records to an empty storage. Returns the key of an administrator. */
export async function fill(
  storage: Storage,
  owner: Pick<Owner, 'org' | 'flow' | 'commit'>,
  { attestations, artifacts, snapshots }: Filling,
): Promise<string> {
  const { org, flow, commit } = owner;
  const dependencies = { storage, judging: new Judging(), now: () => firstMoment * 1000, randomBytes };
  const created = await createOrganization(dependencies, { org, user: 'bench' });
  if (created.outcome === 'exists') throw new Error(`the storage has the organization ${org} already`);
  const description = 'For the bench';
  const template = ['artifact', 'sonar'];
  const author = { by: 'bench', mayDefine: true };
  const saved = { org, name: flow, description, template, visibility: undefined, repoUrl: undefined, ...author };
  await saveFlow(dependencies, saved);
  await saveEnvironment(dependencies, { org, name: environment, kind: 'K8S', user: 'bench' });
  const document = checkedDocument(owner);
  const made = (place: number): { id: string; createdAt: number; reportedBy: string } => ({
    id: newIdentifier({ now: () => momentOf(place) * 1000, randomBytes }),
    createdAt: momentOf(place),
    reportedBy: 'bench',
  });
  await inGroups(artifacts, (place) => {
    const [fingerprint, trail_name] = [fingerprintAt(place), trailOf(place * attestationsOfTrail)];
    const report = { fingerprint, trail_name, filename: 'web.tar.gz', git_commit: commit, ...addresses };
    return recordArtifact(dependencies, { org, flow, ...made(place), report });
  });
  await inGroups(attestations, (place) =>
    recordAttestation(dependencies, {
      ...{ org, flow, trail: trailOf(place), ...made(place), name: document.attestation_name, type: 'sonar', document },
      ...{ verdict: 'compliant', reason: 'the quality gate is OK', faults: [] },
    }),
  );
  await fillSnapshots(storage, org, snapshots);
  return created.key;
}

/** Writes snapshots of the environment, one after the other. */
export async function fillSnapshots(storage: Storage, org: string, snapshots: number): Promise<void> {
  const dependencies = { storage, judging: new Judging(), randomBytes };
  await inGroups(snapshots, (place) => {
    const instances = [{ namespace: 'web', pod: 'web-1', createdAt: firstMoment }];
    // Not the artifact of the report before, so that each report makes a snapshot.
    const running = [{ name: 'web', fingerprint: fingerprintAt(place % 2), instances }];
    const at = { ...dependencies, now: () => (firstMoment + place) * 1000 };
    return recordReport(at, { org, environment, kind: 'K8S', artifacts: running });
  });
}

const addresses = {
  build_url: 'https://github.com/example/web/actions/runs/1',
  commit_url: 'https://github.com/example/web',
};

function checkedDocument(owner: Pick<Owner, 'commit'>): SonarAttestation {
  const document = attestationDocument(owner);
  if (conforms(sonarAttestation, document)) return document;
  throw new TypeError('the attestation of the bench does not match the schema of the contract');
}

/** How many writes are started at once, so that they share commits. */
const groupSize = 1000;

async function inGroups(count: number, write: (place: number) => Promise<unknown>): Promise<void> {
  for (let begin = 0; begin < count; begin += groupSize) {
    const size = Math.min(groupSize, count - begin);
    await Promise.all(Array.from({ length: size }, (_, index) => write(begin + index)));
  }
}
