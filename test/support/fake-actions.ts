import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { provenancePolicy } from './environment-samples.ts';
import type { FakeSonar } from './fake-sonar.ts';
import { fencesOf } from './markdown.ts';
import { runningContainers } from './pods.ts';
import { readText } from './repository.ts';
import { analysisId, finishedAnalysis, reportText } from './sonar-analysis.ts';
import type { ReadyStep } from './workflow-engine.ts';

/** An entry of an artifact that a run uploaded: a file, or a symbolic link. */
export type ArtifactEntry =
  { readonly path: string; readonly content: string | Uint8Array } | { readonly path: string; readonly link: string };

/** The artifacts of a run, by name. */
export type Artifacts = ReadonlyMap<string, readonly ArtifactEntry[]>;

/** The attestations of the repository: predicates with their types, by the SHA-256 of the subject. */
export type Attestations = Map<string, readonly Readonly<Record<'predicateType' | 'predicate', unknown>>[]>;

/** What fake actions get. */
export interface FakeActionContext {
  readonly eventName: string;
  readonly variables: EnvironmentVariables;
  readonly sonar: FakeSonar;
  /** The status of the quality gate of a scan. */
  readonly gate: 'OK' | 'ERROR';
  readonly artifacts: Map<string, readonly ArtifactEntry[]>;
  readonly attestations: Attestations;
}

/** Does what the real action would do. @throws Error if the real action would fail */
export type FakeAction = (step: ReadyStep, context: FakeActionContext) => Promise<void>;

/** The artifact that `make web.tar.gz` builds, and that `gh release download` finds. */
export const builtArtifact = 'the web shop\n';

/** Fakes of the actions that the documented workflows use, by name. */
export const fakeActions: Readonly<Record<string, FakeAction>> = {
  async 'actions/checkout'({ workspace, inputs }) {
    const folder = join(workspace, inputs['path'] ?? '.');
    await mkdir(join(folder, 'policies'), { recursive: true });
    await writeFile(join(folder, 'sonar-project.properties'), 'sonar.projectKey=acme:widgets\n');
    await writeFile(join(folder, 'policies', 'production-rules.yml'), provenancePolicy);
    await mkdir(join(folder, 'compliance'), { recursive: true });
    await writeFile(join(folder, 'compliance', 'template.yml'), documentedTemplate());
  },

  'actions/setup-node': () => Promise.resolve(),

  async 'actions/upload-artifact'({ workspace, inputs }, { artifacts }) {
    const path = resolve(workspace, inputs['path'] ?? '');
    artifacts.set(inputs['name'] ?? '', await uploadedFiles(path));
  },

  async 'actions/download-artifact'({ workspace, inputs }, { artifacts }) {
    const entries = artifacts.get(inputs['name'] ?? '');
    if (entries === undefined) throw new Error(`there is no artifact ${inputs['name'] ?? ''}`);
    const folder = resolve(workspace, inputs['path'] ?? '.');
    await mkdir(folder, { recursive: true });
    await writeEntries(folder, entries);
  },

  async 'actions/attest'({ workspace, inputs, permissions }, { attestations }) {
    for (const permission of ['attestations', 'id-token']) {
      if (valueAt(permissions, permission) !== 'write') throw new Error(`it needs ${permission}: write`);
    }
    const subject = await readFile(resolve(workspace, inputs['subject-path'] ?? ''));
    const digest = createHash('sha256').update(subject).digest('hex');
    const predicate: unknown = JSON.parse(inputs['predicate'] ?? '');
    const added = { predicateType: inputs['predicate-type'], predicate };
    attestations.set(digest, [...(attestations.get(digest) ?? []), added]);
  },

  'SonarSource/sonarqube-scan-action': scan,
};

/** The template of the quick start, which its reader has in the repository. @throws Error if there is none */
function documentedTemplate(): string {
  const template = fencesOf(readText('docs/how-to/connect.md')).find(({ text }) =>
    text.startsWith('# compliance/template.yml\n'),
  );
  if (template === undefined) throw new Error('docs/how-to/connect.md does not show compliance/template.yml');
  return template.text;
}

/** The files of an artifact: a file, or those of a folder that are not hidden, as the real action leaves these out. */
async function uploadedFiles(path: string): Promise<readonly ArtifactEntry[]> {
  if ((await stat(path)).isFile()) return [{ path: basename(path), content: await readFile(path) }];
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const visible = files.map((file) => relative(path, file)).filter((name) => !/(?:^|[/\\])\./u.test(name));
  return Promise.all(visible.map(async (name) => ({ path: name, content: await readFile(join(path, name)) })));
}

async function writeEntries(folder: string, entries: readonly ArtifactEntry[]): Promise<void> {
  for (const entry of entries) {
    const path = join(folder, entry.path);
    // Follows symbolic links, as the real action does.
    await mkdir(dirname(path), { recursive: true });
    if ('link' in entry) await symlink(entry.link, path);
    else await writeFile(path, entry.content);
  }
}

/** Scans as the scan action does: fails without a trusted server, and writes its report. */
async function scan(step: ReadyStep, context: FakeActionContext): Promise<void> {
  const folder = resolve(step.workspace, step.inputs['projectBaseDir'] ?? '.');
  const settings = await scannerSettings(folder, step);
  const host = settings.get('sonar.host.url') ?? '';
  if (host !== context.sonar.url) throw new Error(`the token went to ${host}`);
  if (context.sonar.state.tokens[step.environment['SONAR_TOKEN'] ?? ''] === undefined)
    throw new Error('no known token');
  for (const report of settings.get('sonar.javascript.lcov.reportPaths')?.split(',') ?? [])
    await readFile(resolve(folder, report));
  const gates = { [analysisId]: { status: gateOf(settings, context), conditions: [] } };
  Object.assign(context.sonar.state, finishedAnalysis(scannedRevision(settings, context)), { gates });
  const working = resolve(folder, settings.get('sonar.working.directory') ?? '.scannerwork');
  await mkdir(working, { recursive: true });
  await writeFile(join(working, 'report-task.txt'), reportText(host));
}

/**
 * The settings of a scan, as the least careful scanner reads them: a settings file in the scanned folder overrides
 * `project.settings`, as in old scanners, and the environment. Arguments of the command line override everything.
 */
async function scannerSettings(
  folder: string,
  { inputs, environment }: ReadyStep,
): Promise<ReadonlyMap<string, string>> {
  const words = (inputs['args'] ?? '').split(/\s+/u);
  const given = new Map(words.flatMap((word) => setting(word.replace(/^-D/u, ''))));
  const own = join(folder, 'sonar-project.properties');
  const file = existsSync(own) ? own : (given.get('project.settings') ?? own);
  return new Map([['sonar.host.url', environment['SONAR_HOST_URL'] ?? ''], ...(await properties(file)), ...given]);
}

/** The branch of a merge queue is new, so all findings are new on it, unless the scan says what to compare it with. */
function gateOf(settings: ReadonlyMap<string, string>, { eventName, gate }: FakeActionContext): 'OK' | 'ERROR' {
  return eventName === 'merge_group' && settings.get('sonar.newCode.referenceBranch') !== 'main' ? 'ERROR' : gate;
}

/** The commit that scanners report in GitHub Actions, newer ones except on `pull_request`. */
function scannedRevision(settings: ReadonlyMap<string, string>, { variables }: FakeActionContext): string {
  return settings.get('sonar.scm.revision') ?? variables['GITHUB_SHA'] ?? '';
}

async function properties(file: string): Promise<readonly (readonly [string, string])[]> {
  return existsSync(file) ? (await readFile(file, 'utf8')).split('\n').flatMap(setting) : [];
}

function setting(line: string): readonly (readonly [string, string])[] {
  const [, name, value] = /^([^=\s]+)=(.*)$/u.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

const jq = join(import.meta.dirname, 'jq.mjs');

/** The workflow whose attestations count. */
const checkedWorkflow = 'acme/widgets/.github/workflows/deploy-checked.yml';

/** A report without findings. */
const emptyScan = '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Scanner"}},"results":[]}]}';

/**
 * Fakes of programs that the scripts of the workflows run, with the subcommands that they use. curl, sha256sum and
 * others are the real programs.
 */
const commands: Readonly<Record<string, string>> = {
  trivy: `test "$*" = "fs --format sarif --output scan.sarif $GITHUB_WORKSPACE" && echo '${emptyScan}' > scan.sarif`,
  make: `case "$1" in
    web.tar.gz) printf '%s' '${builtArtifact}' > web.tar.gz ;;
    license-report) mkdir -p build && echo '[]' > build/licenses.json && grep -q OK "$(dirname "$0")/gate" ;;
    test)
      mkdir -p coverage build/junit && echo 'TN:' > coverage/lcov.info
      echo '<testsuite name="unit"><testcase name="works"/></testsuite>' > build/junit/unit.xml ;;
    sbom)
      mkdir -p build && echo '{"spdxVersion":"SPDX-2.3","SPDXID":"SPDXRef-DOCUMENT"}' > build/sbom.spdx.json ;;
    coverage-summary) mkdir -p build && echo '{"lines":81}' > build/coverage-summary.json ;;
    scan)
      mkdir -p build/scan && echo '${emptyScan}' > build/scan/a.sarif
      exit 1 ;;
    *) exit 2 ;;
  esac`,
  npm: `case "$*" in
    ci) ;;
    'test -- --coverage') mkdir -p coverage && echo 'TN:' > coverage/lcov.info ;;
    *) exit 2 ;;
  esac`,
  // Of several artifacts, each is downloaded into a folder of its own.
  gh: `runs="$(dirname "$0")/runs"; test -n "$GH_TOKEN" && case "$1 $2" in
    'release download') printf '%s' '${builtArtifact}' > web.tar.gz ;;
    'api --paginate') ls "$runs" ;;
    'attestation verify')
      test "$4 $5 $6 $7 $8 $9" = "--repo acme/widgets --source-ref refs/heads/main --signer-workflow ${checkedWorkflow}" &&
        digest=$(sha256sum "$3") && cd "$(dirname "$0")" && node '${jq}' "\${@: -1}" < "attestations/\${digest%% *}" ;;
    'api repos/acme/widgets/actions/artifacts?name='*) node '${jq}' "$4" < "$(dirname "$0")/artifacts.json" ;;
    'run download') if test "$4" = --name; then cp -R "$runs/$3/$5/." .; exit; fi; test "$4 $5 $6" = '--pattern compliance-spool-* --dir' && mkdir -p "$7" && cp -R "$runs/$3/." "$7" ;;
    *) exit 2 ;;
  esac`,
  docker: `case "$*" in
    'ps -q') echo 0123456789ab ;;
    'image ls -q') echo abcdef012345 ;;
    'inspect 0123456789ab abcdef012345') cat "$(dirname "$0")/containers.json" ;;
    *) exit 2 ;;
  esac`,
  kubectl: `test "$*" = 'get pods -A -o json' && cat "$(dirname "$0")/pods.json"`,
};

/** An artifact of `main`, behind one of a fork's branch of this name. */
const listedArtifacts = {
  artifacts: [2, 1].map((fork) => ({
    workflow_run: { id: fork === 1 ? 4242 : 1, head_branch: 'main', head_repository_id: fork, repository_id: 1 },
  })),
};

/** What the programs find. */
export interface CommandData {
  /** Whether a scan finds nothing. */
  readonly gate: 'OK' | 'ERROR';
  /** The output of `kubectl`. */
  readonly pods: unknown;
  /** The runs with kept evidence that `gh` finds: their artifacts, by the run's id. */
  readonly runs: Readonly<Record<string, Artifacts>>;
  readonly attestations: Attestations;
}

/** Writes the programs and their data to a folder for the PATH. */
export async function writeCommands(folder: string, { gate, pods, runs, attestations }: CommandData): Promise<void> {
  await mkdir(join(folder, 'runs'), { recursive: true });
  for (const [name, script] of Object.entries(commands)) {
    await writeFile(join(folder, name), `#!/usr/bin/env bash\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  await writeFile(join(folder, 'gate'), gate);
  await writeFile(join(folder, 'pods.json'), JSON.stringify(pods));
  await writeFile(join(folder, 'containers.json'), JSON.stringify(runningContainers));
  await writeFile(join(folder, 'artifacts.json'), JSON.stringify(listedArtifacts));
  await mkdir(join(folder, 'attestations'));
  for (const [digest, statements] of attestations) {
    const verified = statements.map((statement) => ({ verificationResult: { statement } }));
    await writeFile(join(folder, 'attestations', digest), JSON.stringify(verified));
  }
  for (const [run, artifacts] of Object.entries(runs)) {
    for (const [name, entries] of artifacts) await writeEntries(join(folder, 'runs', run, name), entries);
  }
}
