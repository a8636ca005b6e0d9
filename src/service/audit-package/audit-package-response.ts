import { createPublicKey } from 'node:crypto';
import { customTypePrefix } from '../../contract/attestations/custom.ts';
import { renderVerifierKeys } from '../../runtime/transparency-log/verifier-key.ts';
import { listAt, textAt } from '../../runtime/untrusted-data.ts';
import { actorName, type Caller } from '../account/access.ts';
import {
  mayReadEnvironment,
  readsEverything,
  toReadableDetails,
  toReadableHistory,
  toReadableReasons,
} from '../account/readable-parts.ts';
import { toReadableAssertion } from '../artifact/artifact-assertion-routes.ts';
import { assertArtifact } from '../artifact/artifact-assertion-use-cases.ts';
import { toArtifactResponse } from '../artifact/artifact-response.ts';
import { findArtifact } from '../artifact/artifact-use-cases.ts';
import { toReportScopes } from '../attestation/evidence-scope.ts';
import { describeReasons } from '../attestation/reasons.ts';
import type { LogSigner } from '../log/log-use-cases.ts';
import { DamagedAttachmentError } from '../platform/attachments/attachments.ts';
import { text } from '../platform/database/rows.ts';
import { type BadgeState, toVerdictState } from '../platform/pages/components.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { NumberRange } from '../platform/time-series.ts';
import { readDetails } from '../snapshot/snapshot-routes.ts';
import { findSnapshot } from '../snapshot/snapshot-use-cases.ts';
import { toTrailResponse } from '../trail/trail-response.ts';
import { findTrailHistory } from '../trail/trail-use-cases.ts';
import {
  type EnvironmentSubject,
  type PackagedLog,
  type PackagedRecord,
  type PackageSubject,
  toRecordPath,
} from './audit-package.ts';
import { type IndexedRecord, type IndexedVerdict, renderIndex } from './audit-package-html.ts';
import type { SelectionName } from './audit-package-records.ts';
import { findSnapshotNumbers, readRecords, readTrailNames } from './audit-package-use-cases.ts';
import type { ZippedFile } from './zip-response.ts';

export interface PackageSource {
  readonly dependencies: RouteDependencies;
  readonly caller: Caller;
  readonly subject: PackageSubject;
  readonly log: PackagedLog;
  readonly signer: LogSigner;
  /** In Unix seconds. */
  readonly at: number;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

type Files = AsyncGenerator<ZippedFile, void>;

/** How many proofs are in a file, and how many records the index lists. */
const proofsOfFile = 256;
const maximumIndexed = 2000;

/** How many attestations of an artifact are packaged. */
const maximumEvidence = 10_000;

/** Creates the files of an audit package, one at a time. */
export async function* createPackageFiles(source: PackageSource): Files {
  const maker = new PackageMaker(source);
  yield* maker.makeSubject();
  yield* maker.makeEnd();
}

class PackageMaker {
  readonly #source: PackageSource;
  readonly #org: string;
  /** The files so far, of which no two may have the same name. */
  readonly #paths = new Set<string>();
  /** Which attestations the records so far include, and the trails, policies and custom types that they name. */
  readonly #attestations = new Set<string>();
  readonly #trails = new Set<string>();
  readonly #policies = new Set<string>();
  readonly #customTypes = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #records: IndexedRecord[] = [];
  readonly #verdicts: IndexedVerdict[] = [];
  readonly #problems: string[] = [];
  #proofs: string[] = [];
  #proofFiles = 0;

  constructor(source: PackageSource) {
    this.#source = source;
    this.#org = source.caller.org;
  }

  async *makeSubject(): Files {
    const { subject } = this.#source;
    switch (subject.kind) {
      case 'trail':
        yield* this.#makeRecords('flow', [subject.flow]);
        yield* this.#makeTrail(subject.flow, subject.trail);
        return;
      case 'artifact':
        yield* this.#makeArtifact(subject);
        return;
      case 'flow': {
        const { flow, from = 0, to = Infinity } = subject;
        yield* this.#makeRecords('flow', [flow]);
        const span = { start: from, end: Math.min(to + 1, Number.MAX_SAFE_INTEGER) };
        for await (const trail of readTrailNames(this.#source.dependencies, this.#org, flow, span))
          yield* this.#makeTrail(flow, trail);
        return;
      }
      case 'environment':
        yield* this.#makeEnvironment(subject);
    }
  }

  /** The policies and custom types that the records name, the proofs, the checkpoint, the keys and the index. */
  async *makeEnd(): Files {
    const { subject, log, signer, at, caller } = this.#source;
    if (readsEverything(caller)) {
      for (const policy of this.#policies) {
        yield* this.#makeRecords('policy', [policy]);
        yield* this.#makeRecords('policyVersions', [policy]);
        yield* this.#makeRecords('policyEvents', [policy]);
      }
      for (const type of this.#customTypes) {
        yield* this.#makeRecords('customType', [type]);
        yield* this.#makeRecords('customTypeVersions', [type]);
      }
    }
    if (this.#proofs.length > 0) yield this.#toProofFile();
    yield { name: 'checkpoint', text: log.checkpoint.text };
    const keys = signer.keys.map((key) => createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString());
    yield { name: 'verifier-key', text: renderVerifierKeys(signer.origin, signer.keys) };
    yield { name: 'verifier-key.pem', text: keys.join('') };
    const about = {
      ...{ package: subject, organization: this.#org, log: signer.origin, log_size: log.checkpoint.size },
      ...{ created_at: at, created_by: actorName(caller) },
      ...{ records: Object.fromEntries(this.#counts), problems: this.#problems },
    };
    yield { name: 'about.json', text: toJson(about) };
    const [records, verdicts, problems] = [this.#records, this.#verdicts, this.#problems];
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const view = { subject, org: this.#org, at, by: actorName(caller), checkpoint: log.checkpoint.text };
    yield { name: 'index.html', text: renderIndex({ ...view, records, total, verdicts, problems }) };
  }

  /** A trail with everything that its verdict rests on. */
  async *#makeTrail(flow: string, trail: string): Files {
    const { dependencies, caller } = this.#source;
    const path = yield* this.#makeTrailRecords(flow, trail);
    // It was begun after the checkpoint.
    if (path === undefined) return;
    yield* this.#makeRecords('artifactsOfTrail', [flow, trail]);
    yield* this.#makeRecords('attestationsOfTrail', [flow, trail]);
    const found = await findTrailHistory(dependencies, { org: this.#org, flow, name: trail });
    if (found === undefined) return;
    const { details, history } = found;
    const { judgement } = details;
    const title = `trail ${trail}`;
    yield this.#toVerdict(
      path.replace('records/', 'verdicts/'),
      { title, state: judgement.state, info: judgement.info },
      toJson(toTrailResponse(details, toReadableHistory(caller, history), dependencies.links)),
    );
    const statuses = [...judgement.evidence, ...judgement.artifacts.flatMap(({ evidence }) => evidence)];
    yield* this.#makeEvidence(
      flow,
      statuses.flatMap(({ evidence }) => evidence?.id ?? []),
      title,
    );
  }

  /** Returns the path of the record of the trail; undefined if it has none. */
  async *#makeTrailRecords(flow: string, trail: string): AsyncGenerator<ZippedFile, string | undefined> {
    const path = yield* this.#makeRecords('trail', [flow, trail]);
    yield* this.#makeRecords('trailTemplate', [flow, trail]);
    yield* this.#makeRecords('trailUpdates', [flow, trail]);
    return path;
  }

  /** An artifact with its verdicts: in a flow, and by the policies of the environments that run it. */
  async *#makeArtifact({ flow, fingerprint }: { readonly flow: string; readonly fingerprint: string }): Files {
    const { dependencies, caller } = this.#source;
    const { links, storage } = dependencies;
    const org = this.#org;
    yield* this.#makeRecords('flow', [flow]);
    yield* this.#makeRecords('reportsOfArtifact', [flow, fingerprint]);
    for (const trail of this.#trails) yield* this.#makeTrailRecords(flow, trail);
    const found = await findArtifact(dependencies, { org, flow, fingerprint });
    if (found.outcome !== 'found') return;
    const details = toReadableDetails(caller, found.details);
    const answer = toArtifactResponse(details, links);
    const title = `artifact ${details.artifact.report.filename}`;
    const { state, state_info: info = '' } = answer;
    yield this.#toVerdict('verdicts/artifact.json', { title, state: toState(state), info }, toJson(answer));
    const scopes = toReportScopes(details.artifact);
    const bound = await storage.read(({ attestations }) =>
      attestations.listBound({ org, flow }, scopes, maximumEvidence),
    );
    if (bound.length === maximumEvidence)
      this.#problems.push(`only the latest ${maximumEvidence} attestations of the artifact are included`);
    yield* this.#makeEvidence(flow, [...new Set([...details.evidence, ...bound].map(({ id }) => id))], title);
    const running = details.appearances.filter(({ exitedAt }) => exitedAt === undefined);
    for (const environment of new Set(running.map((appearance) => appearance.environment)))
      yield* this.#makeAssertion({ fingerprint, environment, title });
  }

  /** The verdict on an artifact by the policies of an environment. */
  async *#makeAssertion({
    fingerprint,
    environment,
    title,
  }: Readonly<Record<'fingerprint' | 'environment' | 'title', string>>): Files {
    const { dependencies, caller } = this.#source;
    const wanted = { org: this.#org, fingerprint, environment };
    const judged = await assertArtifact(dependencies, wanted);
    if (judged.outcome !== 'judged') return;
    const answer = toReadableAssertion(dependencies, caller, judged, wanted);
    if (answer === undefined) return;
    const { compliant, compliant_info: words = '', policy_evaluations: policies = [] } = answer;
    for (const { policy_name: policy } of policies) this.#policies.add(policy);
    const isJudged = policies.length > 0;
    const state = toVerdictState(isJudged ? compliant : null);
    const info = isJudged && !compliant ? describeReasons(toReadableReasons(caller, judged.reasons)) : words;
    const path = `verdicts/in-environment-${this.#verdicts.length}.json`;
    yield this.#toVerdict(path, { title: `${title} in ${environment}`, state, info }, toJson(answer));
    yield* this.#makeRecords('policyAttachments', [environment]);
  }

  /** An environment with its snapshots, which contain their verdicts, and its current verdict. */
  async *#makeEnvironment(subject: EnvironmentSubject): Files {
    const { dependencies, caller, at: now, signal } = this.#source;
    const { environment } = subject;
    const org = this.#org;
    yield* this.#makeRecords('environment', [environment]);
    yield* this.#makeRecords('members', [environment]);
    yield* this.#makeRecords('allowedArtifacts', [environment]);
    yield* this.#makeRecords('policyAttachments', [environment]);
    const numbers = await findSnapshotNumbers(dependencies, org, subject, now);
    yield* this.#makeRecords('snapshots', [environment], numbers);
    const found = await findSnapshot(dependencies, { org, environment, selector: { kind: 'latest' }, now });
    if (found.outcome !== 'found') return;
    const state = toVerdictState(found.snapshot.judgement.compliant);
    const info = describeReasons(toReadableReasons(caller, found.reasons));
    const title = `environment ${environment}, snapshot ${found.snapshot.number}`;
    const { bytes } = await readDetails(dependencies, caller, found, signal);
    yield this.#toVerdict('verdicts/environment.json', { title, state, info }, bytes.toString());
  }

  /** The given attestations, except those that the package already has. */
  async *#makeEvidence(flow: string, ids: readonly string[], title: string): Files {
    const others = ids.filter((id) => !this.#attestations.has(id));
    if (others.length === 0) return;
    yield* this.#makeRecords('attestations', [flow, others]);
    for (const id of others.filter((other) => !this.#attestations.has(other)))
      this.#problems.push(
        `${title}: attestation ${id}, which counts for its verdict, was recorded after the checkpoint`,
      );
  }

  /** Returns the path of the last record; undefined if there are none. */
  async *#makeRecords(
    name: SelectionName,
    key: readonly (string | readonly string[])[],
    numbers?: NumberRange,
  ): AsyncGenerator<ZippedFile, string | undefined> {
    let last: string | undefined;
    const { dependencies, log } = this.#source;
    for await (const record of readRecords(dependencies, log, { name, key, numbers })) {
      last = toRecordPath(record);
      if (this.#paths.has(last)) continue;
      this.#paths.add(last);
      yield* this.#makeRecord(last, record);
    }
    return last;
  }

  async *#makeRecord(path: string, record: PackagedRecord): Files {
    const { kind, row, document, proven, fault } = record;
    const isReadable = mayReadDocument(this.#source.caller, record);
    // Titles can contain names that the caller may not read, too.
    const title = isReadable ? record.title : 'withheld';
    this.#noteNames(record);
    if (fault !== undefined) this.#problems.push(`${path}: ${kind} ${title} ${fault}`);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const { sequence, isLate } = proven ?? {};
    if (this.#records.length < maximumIndexed)
      this.#records.push({ kind, title, path: isReadable ? path : undefined, sequence, isLate });
    if (isReadable) yield { name: path, text: document };
    if (proven !== undefined) {
      const { random, entry, proof } = proven;
      // With the random bytes, a document that is withheld could be guessed.
      const shown = isReadable ? { record: path, random: Buffer.from(random).toString('hex') } : {};
      this.#proofs.push(JSON.stringify({ sequence, ...shown, entry, proof }));
      if (this.#proofs.length === proofsOfFile) yield this.#toProofFile();
    }
    yield* this.#makeAttachment(row);
  }

  #noteNames({ kind, row }: PackagedRecord): void {
    switch (kind) {
      case 'artifact':
        this.#trails.add(text(row, 'trail'));
        return;
      case 'attestation': {
        this.#attestations.add(text(row, 'id'));
        const type = text(row, 'type');
        if (type.startsWith(customTypePrefix)) this.#customTypes.add(type.slice(customTypePrefix.length));
        return;
      }
      case 'policy attachment':
        this.#policies.add(text(row, 'policy'));
        return;
      case 'environment report':
        for (const policy of listAt(JSON.parse(text(row, 'judgement')), 'policies'))
          this.#policies.add(textAt(policy, 'name') ?? '');
    }
  }

  async *#makeAttachment(row: PackagedRecord['row']): Files {
    const { attachment_digest: digest, attachment_size: size } = row;
    if (typeof digest !== 'string' || typeof size !== 'number') return;
    const name = `attachments/${digest}`;
    if (this.#paths.has(name)) return;
    this.#paths.add(name);
    // Another organization may still have the same file.
    const removal = yield* this.#makeRecords('attachmentRemoval', [digest]);
    if (removal !== undefined) {
      this.#problems.push(`${name} is left out: an admin removed it; ${removal} says why`);
      return;
    }
    try {
      const stream = await this.#source.dependencies.attachments.read({ digest, size });
      yield { name, stream, digest };
    } catch (error) {
      if (!(error instanceof DamagedAttachmentError)) throw error;
      const { storage } = this.#source.dependencies;
      const removers = await storage.read(({ removedAttachments }) => removedAttachments.listOrganizations(digest));
      const reason = removers.includes(this.#org) ? 'an admin removed it after the checkpoint' : error.message;
      this.#problems.push(`${name} is left out: ${reason}`);
    }
  }

  #toVerdict(path: string, verdict: Omit<IndexedVerdict, 'path'>, json: string): ZippedFile {
    if (this.#verdicts.length < maximumIndexed) this.#verdicts.push({ path, ...verdict });
    return { name: path, text: json };
  }

  #toProofFile(): ZippedFile {
    this.#proofFiles += 1;
    const name = `proofs/${this.#proofFiles}.jsonl`;
    const lines = this.#proofs.map((line) => `${line}\n`);
    this.#proofs = [];
    return { name, text: lines.join('') };
  }
}

/** Whether the document names no environment or flow that the caller may not read. */
function mayReadDocument(caller: Caller, { kind, row }: PackagedRecord): boolean {
  if (readsEverything(caller)) return true;
  if (kind === 'environment report') return false;
  if (kind === 'environment member') return mayReadEnvironment(caller, text(row, 'member'));
  const stored = row['counts_for'];
  const countsFor = typeof stored === 'string' ? (JSON.parse(stored) as readonly string[]) : [];
  return countsFor.every((name) => mayReadEnvironment(caller, name));
}

const toState = (state: string | undefined): BadgeState =>
  state === 'COMPLIANT' || state === 'NON-COMPLIANT' ? state : 'INCOMPLETE';

const toJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
