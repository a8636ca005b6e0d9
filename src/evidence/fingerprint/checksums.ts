import { resolve } from 'node:path';
import { maximumDocumentBytes, maximumLineLength } from '../../contract/limits.ts';
import { type Problem, UserError } from '../../runtime/failure.ts';
import { inspectPath } from '../files/file-kind.ts';
import { readTextFile } from '../files/text-file.ts';
import type { FingerprintedArtifact } from './fingerprint.ts';

/** The maximum number of artifacts in a checksums file: each is a request. */
export const maximumChecksums = 1000;

const maximumBadLines = 10;

/**
 * Reads a checksums file in the formats of `sha256sum`, `parseChecksums`.
 *
 * @param path relative to the workspace
 * @throws UserError if there is no such file, or it is not a checksums file
 */
export async function readChecksums(path: string, workspace: string): Promise<readonly FingerprintedArtifact[]> {
  const absolute = resolve(workspace, path);
  const found = inspectPath(absolute);
  if (found?.kind !== 'file') {
    throw new UserError({
      input: 'checksums-path',
      what: `\`checksums-path\` names ${path}, which is not a file`,
      remedy: 'Name the file that `sha256sum` wrote; the path is relative to the workspace.',
    });
  }
  const rules = { purpose: 'checksums', maximumBytes: maximumDocumentBytes, input: 'checksums-path' };
  return parseChecksums(await readTextFile({ path: absolute, name: path, size: found.size }, rules), path);
}

/**
 * Parses the output of `sha256sum` (GNU coreutils manual, "md5sum invocation"): `<digest>  <name>`, with `*` instead of
 * the second space for binary mode, or `SHA256 (<name>) = <digest>` (`--tag`, BSD). A backslash at the start of a line
 * means that backslashes and line breaks in its name are escaped. Empty lines and lines with `#` at the start are
 * ignored, and so is a second line that says the same.
 *
 * @param file its name, for error messages
 * @throws UserError with the number of every bad line
 */
export function parseChecksums(text: string, file: string): readonly FingerprintedArtifact[] {
  const artifacts = new Map<string, FingerprintedArtifact>();
  const faults: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^(?:#|\r?$)/u.test(line)) continue;
    const parsed = parseLine(line.replace(/\r$/u, ''));
    if ('fault' in parsed) faults.push(`line ${index + 1} ${parsed.fault}`);
    else artifacts.set(`${parsed.fingerprint} ${parsed.name}`, parsed);
    if (faults.length > maximumBadLines) break;
  }
  if (artifacts.size === 0 && faults.length === 0) faults.push('it has no checksums');
  const isTooMany = artifacts.size > maximumChecksums;
  if (isTooMany) faults.push(`it has more than ${maximumChecksums} checksums`);
  const [first, ...others] = faults.slice(0, maximumBadLines).map((fault): Problem => ({
    input: 'checksums-path',
    what: `${file} cannot be used: ${fault}`,
    remedy: isTooMany
      ? 'Split it into several files, each with a step of its own.'
      : 'Write the file with `sha256sum FILE… > SHA256SUMS`, or name the artifacts in `files`.',
  }));
  if (first !== undefined) throw new UserError([first, ...others]);
  return [...artifacts.values()];
}

const tooLong = `has a name of more than ${maximumLineLength} characters`;

type ParsedLine = FingerprintedArtifact | { readonly fault: string };

function parseLine(line: string): ParsedLine {
  const isEscaped = line.startsWith('\\');
  const found = splitLine(isEscaped ? line.slice(1) : line);
  if ('fault' in found) return found;
  const { digest, name: raw } = found;
  if (digest.length !== 64) return { fault: `has a checksum of ${digest.length} hex digits; a SHA-256 has 64` };
  if (raw.length > 2 * maximumLineLength) return { fault: tooLong };
  const name = isEscaped ? unescapeName(raw) : raw;
  if (name === undefined) return { fault: 'has an escape in its name that is not `\\\\`, `\\n` or `\\r`' };
  if (name === '') return { fault: 'has no name' };
  return name.length > maximumLineLength ? { fault: tooLong } : { name, fingerprint: digest.toLowerCase() };
}

function splitLine(line: string): { readonly digest: string; readonly name: string } | { readonly fault: string } {
  const [, kind, taggedName, taggedDigest] = /^([A-Z][A-Z0-9/-]*) ?\((.*)\) ?= ?([a-fA-F0-9]+)$/su.exec(line) ?? [];
  if (kind !== undefined && kind !== 'SHA256') return { fault: 'is not a SHA-256 but another kind of checksum' };
  const [, plainDigest, plainName] = /^([a-fA-F0-9]+) [ *](.*)$/su.exec(line) ?? [];
  const [digest, name] = [taggedDigest ?? plainDigest, taggedName ?? plainName];
  return digest === undefined || name === undefined ? { fault: 'is not a checksum and a name' } : { digest, name };
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', r: '\r' };

/** Undefined if there is an unknown escape. */
function unescapeName(name: string): string | undefined {
  const isValid = /^(?:[^\\]|\\[\\nr])*$/su.test(name);
  return isValid ? name.replace(/\\([\\nr])/gu, (_all, letter: string) => escapes[letter] ?? letter) : undefined;
}
