import {
  describeFindings,
  type Finding,
  type ScanResult,
  type Severity,
  type SeverityCounts,
  type SnykAttestation,
} from '../../contract/attestations/snyk.ts';
import { maximumDocumentBytes } from '../../contract/limits.ts';
import { UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { truncate } from '../../runtime/truncate.ts';
import { readJsonReport, type ReportFormat } from '../files/json-report.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { addCounts, maximumRuns, readSarif, type ScanRun, worstFirst } from './sarif.ts';

export interface ScanEvidence {
  readonly results: SnykAttestation['snyk_results'];
  readonly counts: SeverityCounts;
  /** The findings that the attestation lists, the worst first. */
  readonly listed: readonly ListedFinding[];
  /** Warnings for the reader, a sentence each. */
  readonly remarks: readonly string[];
}

export interface ListedFinding {
  readonly severity: Severity;
  readonly finding: Finding;
  readonly run: number;
}

const format: ReportFormat = {
  input: 'sarif-path',
  wanted: 'SARIF',
  tooLargeRemedy: 'Let the scanner write several smaller files, or leave out code snippets and data flows.',
};

/** The maximum number of findings that an attestation lists. */
const maximumListed = 2000;

/** The part of a request that is reserved for the commit, the user data and the counts, in bytes. */
const otherBytes = 384 * 1024;

const maximumLoggedFiles = 100;

/**
 * Reads SARIF files one after the other. All findings count; the attestation lists the worst ones, as many as fit.
 *
 * @throws UserError for a file that is not SARIF 2.1.0 or cannot be read
 */
export async function gatherScan(
  files: readonly MatchedFile[],
  { log, signal }: { readonly log: Log; readonly signal?: AbortSignal | undefined },
): Promise<ScanEvidence> {
  const runs: Pick<ScanRun, 'tool' | 'counts'>[] = [];
  const remarks: string[] = [];
  let listed: readonly ListedFinding[] = [];
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted();
    const found = readSarif(await readJsonReport(file, format));
    const worst = worstFirst(
      found.flatMap(({ findings }, at) => findings.map((one) => ({ ...one, run: runs.length + at }))),
    );
    const described = worst
      .slice(0, maximumListed)
      .map(({ severity, describe, run }) => ({ severity, finding: describe(), run }));
    listed = worstFirst([...listed, ...described]).slice(0, maximumListed);
    remarks.push(...found.flatMap((run) => describeDoubt(file.name, run)));
    runs.push(...found.map(({ tool, counts }) => ({ tool, counts })));
    if (runs.length > maximumRuns) {
      throw new UserError({
        input: format.input,
        what: `the files have more than ${maximumRuns} runs of scanners, more than fit into one attestation`,
        remedy: 'Split the files over several steps, each with its own `attestation-name`.',
      });
    }
    if (index < maximumLoggedFiles)
      for (const { tool, counts } of found) log.info(`${file.name}: ${tool.name}: ${describeFindings(counts)}`);
  }
  for (const remark of remarks) log.warning(remark);
  const fitting = limitBytes(listed, maximumDocumentBytes - otherBytes);
  return {
    results: {
      schema_version: 1,
      tool: { name: joinOnce(runs, 'name'), version: joinOnce(runs, 'version') },
      results: runs.map(({ counts }, run) =>
        toResult(
          counts,
          fitting.filter((one) => one.run === run),
        ),
      ),
    },
    counts: addCounts(runs.map(({ counts }) => counts)),
    listed: fitting,
    remarks,
  };
}

function describeDoubt(file: string, { tool, hasResults }: ScanRun): readonly string[] {
  return hasResults ? [] : [`${file}: ${tool.name} has no list of results, which may mean that it did not scan.`];
}

/** The first findings that take no more than so many bytes of JSON. */
function limitBytes(findings: readonly ListedFinding[], maximum: number): readonly ListedFinding[] {
  let size = 0;
  const end = findings.findIndex(({ finding }) => (size += Buffer.byteLength(JSON.stringify(finding)) + 1) > maximum);
  return end < 0 ? findings : findings.slice(0, end);
}

/** The form has no critical findings, so they count as high. */
function toResult({ critical, high, medium, low }: SeverityCounts, listed: readonly ListedFinding[]): ScanResult {
  const pick = (...wanted: readonly Severity[]): Finding[] =>
    listed.filter(({ severity }) => wanted.includes(severity)).map(({ finding }) => finding);
  const lists = { high: pick('critical', 'high'), medium: pick('medium'), low: pick('low') };
  return {
    high_count: critical + high,
    medium_count: medium,
    low_count: low,
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

/** The maximum length of the names of the scanners, in characters. */
const maximumTools = 4000;

function joinOnce(runs: readonly Pick<ScanRun, 'tool'>[], key: 'name' | 'version'): string {
  const all = new Set(runs.map(({ tool }) => tool[key]).filter((text) => text !== ''));
  return truncate([...all].join(', '), maximumTools);
}
