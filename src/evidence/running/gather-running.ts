import type { EnvironmentReport, ReportedInstance, ReportKind } from '../../contract/environment-report.ts';
import { requireOwnFile } from '../files/attachment-rules.ts';
import { maximumJsonFileBytes } from '../files/json-limits.ts';
import { resolveFiles } from '../files/resolve-files.ts';
import type { FingerprintedArtifact } from '../fingerprint/fingerprint.ts';
import { azureCommand, readApps } from './azure-apps.ts';
import { cloudRunCommand, readRevisions } from './cloud-run.ts';
import { dockerCommand, readContainers } from './docker.ts';
import { DocumentNode } from './document-node.ts';
import { ecsCommand, readTasks } from './ecs-tasks.ts';
import { Findings } from './findings.ts';
import { lambdaCommand, readFunctions } from './lambda-functions.ts';
import { isReport, readJsonFile, readReport, type RunningEvidence } from './running-document.ts';
import { readBuckets, readServerFiles } from './stored-files.ts';

/** What runs: named, or in files. */
export type RunningSource =
  { readonly artifacts: readonly FingerprintedArtifact[] } | { readonly files: readonly string[] };

export interface GatherContext {
  readonly workspace: string;
  /** In Unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal | undefined;
}

/** How a document about what runs is read, and the command that prints it. */
interface DocumentReader {
  readonly command: string;
  /** @throws UserError that names the wrong value by its path */
  readonly read: (documents: readonly DocumentNode[], found: Findings) => void;
}

const documentReaders: Readonly<Record<Exclude<ReportKind['kind'], 'server' | 'S3'>, DocumentReader>> = {
  docker: { command: dockerCommand, read: readContainers },
  ECS: { command: ecsCommand, read: readTasks },
  lambda: { command: lambdaCommand, read: readFunctions },
  'azure-apps': { command: azureCommand, read: readApps },
  'cloud-run': { command: cloudRunCommand, read: readRevisions },
};

/**
 * Gathers what runs in an environment: the named artifacts; else, of a server and of buckets, the files themselves; else
 * what a command of the platform printed into the files.
 *
 * @throws UserError if the files cannot be used; the signal's reason if it is aborted
 */
export async function gatherRunning(
  { kind, endpoint }: ReportKind,
  source: RunningSource,
  context: GatherContext,
): Promise<RunningEvidence<EnvironmentReport>> {
  const { artifacts, notRunning, withoutDigest } = await find(kind, endpoint.body.schema, source, context);
  const report = { ...(kind === 'cloud-run' ? { type: kind } : {}), artifacts };
  return { report: readReport(endpoint.body.schema, report, 'The report'), notRunning, withoutDigest };
}

async function find(
  kind: ReportKind['kind'],
  schema: ReportKind['endpoint']['body']['schema'],
  source: RunningSource,
  { workspace, now, signal }: GatherContext,
): Promise<Findings> {
  const found = new Findings();
  if ('artifacts' in source) {
    for (const artifact of source.artifacts) found.artifacts.push(toInstance(kind, artifact, now));
    return found;
  }
  const selection = { patterns: source.files, workspace };
  if (kind === 'server') found.artifacts.push(...(await readServerFiles(selection, signal)));
  else if (kind === 'S3') found.artifacts.push(...(await readBuckets(selection, signal)));
  else await readDocuments(documentReaders[kind], schema, selection, found);
  return found;
}

/** Tasks and apps must have a name, so the name of the artifact is used. */
function toInstance(
  kind: ReportKind['kind'],
  { name, fingerprint }: FingerprintedArtifact,
  now: number,
): ReportedInstance {
  const instance = { digests: { [name]: fingerprint }, creationTimestamp: now };
  if (kind === 'ECS') return { taskArn: name, ...instance };
  return kind === 'azure-apps' ? { app_name: name, ...instance } : instance;
}

async function readDocuments(
  { command, read }: DocumentReader,
  schema: ReportKind['endpoint']['body']['schema'],
  selection: { readonly patterns: readonly string[]; readonly workspace: string },
  found: Findings,
): Promise<void> {
  const documents: DocumentNode[] = [];
  for (const file of await resolveFiles(selection)) {
    requireOwnFile('files', file.path, selection.workspace);
    const rules = { purpose: 'what runs', maximumBytes: maximumJsonFileBytes, command };
    const document = await readJsonFile(file, rules);
    if (isReport(document)) found.artifacts.push(...readReport(schema, document, file.name).artifacts);
    else documents.push(new DocumentNode({ file: file.name, command }, document));
  }
  if (documents.length > 0) read(documents, found);
}
