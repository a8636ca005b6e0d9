import { randomBytes } from 'node:crypto';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { interleavedMedians } from './interleave.ts';
import { type Row, withoutTarget, withTarget } from './row.ts';
import { type Command, runPipeline, runProcess } from './run-process.ts';
import type { Target } from './target.ts';
import { milliseconds, times } from './units.ts';

const program = join(import.meta.dirname, 'programs', 'fingerprint.ts');

function fingerprint(path: string): Command {
  return { program: process.execPath, parameters: [program, path] };
}

function opensslDigest(...files: readonly string[]): Command {
  return { program: 'openssl', parameters: ['dgst', '-sha256', '-r', ...files] };
}

function archive(directory: string): Command {
  return { program: 'tar', parameters: ['-c', '-f', '-', '-C', directory, '.'] };
}

/**
 * Compares fingerprints with the system's tools. From both, the time that the same program takes for an empty file or
 * directory is subtracted, because a fingerprint is computed in a step that is already running.
 *
 * @param megabytes the size of the file
 */
export async function measureFingerprints(parent: string, megabytes: number, rounds: number): Promise<readonly Row[]> {
  const directory = join(parent, 'fingerprints');
  await mkdir(directory);
  try {
    return [
      await ifThere('openssl', ['version'], () => measureFile(directory, megabytes, rounds)),
      await ifThere('tar', ['--version'], () => measureDirectory(directory, rounds)),
    ];
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function ifThere(tool: string, parameters: readonly string[], measure: () => Promise<Row>): Promise<Row> {
  try {
    runProcess({ program: tool, parameters });
  } catch {
    return withoutTarget({ what: 'fingerprints', figure: `skipped: ${tool} is not installed` });
  }
  return measure();
}

async function measureFile(directory: string, megabytes: number, rounds: number): Promise<Row> {
  const empty = join(directory, 'empty.bin');
  await writeFile(empty, '');
  const file = join(directory, 'large.bin');
  await writeRandomFile(file, megabytes);
  checkDigest(file);
  const wall = await interleavedMedians(
    {
      ours: () => runProcess(fingerprint(file)).wall,
      reference: () => runProcess(opensslDigest(file)).wall,
      oursEmpty: () => runProcess(fingerprint(empty)).wall,
      referenceEmpty: () => runProcess(opensslDigest(empty)).wall,
    },
    rounds,
  );
  await rm(file);
  return compare(`fingerprint of a file of ${megabytes} MB`, 'openssl', wall, {
    better: 'lower',
    mustReach: 1.1,
    aimFor: 1.03,
  });
}

/** @throws Error if the fingerprint is not the digest that openssl computes */
function checkDigest(file: string): void {
  const ours = runProcess(fingerprint(file)).output.trim();
  const [reference = ''] = runProcess(opensslDigest(file)).output.split(' ');
  if (ours !== reference) throw new Error(`the fingerprint is ${ours}, but openssl computes ${reference}`);
}

async function measureDirectory(directory: string, rounds: number): Promise<Row> {
  const empty = join(directory, 'empty');
  await mkdir(empty);
  const full = join(directory, 'full');
  await makeTree(full);
  const wall = await interleavedMedians(
    {
      ours: () => runProcess(fingerprint(full)).wall,
      reference: () => runPipeline(archive(full), opensslDigest()),
      oursEmpty: () => runProcess(fingerprint(empty)).wall,
      referenceEmpty: () => runPipeline(archive(empty), opensslDigest()),
    },
    rounds,
  );
  return compare('fingerprint of a directory of 10,000 files of 2 kB', 'tar c | openssl', wall, {
    better: 'lower',
    mustReach: 2,
    aimFor: 1.2,
  });
}

interface Walls {
  readonly ours: number;
  readonly reference: number;
  readonly oursEmpty: number;
  readonly referenceEmpty: number;
}

function compare(what: string, tool: string, wall: Walls, target: Target): Row {
  const ours = wall.ours - wall.oursEmpty;
  const reference = wall.reference - wall.referenceEmpty;
  const against = `${tool} ${milliseconds(reference)}`;
  const ratio = ours / reference;
  return withTarget({ what, figure: milliseconds(ours), against, ratio: times(ratio) }, ratio, target, times);
}

async function writeRandomFile(path: string, megabytes: number): Promise<void> {
  const file = await open(path, 'w');
  try {
    const block = randomBytes(1024 * 1024);
    for (let written = 0; written < megabytes; written += 1) await file.write(block);
  } finally {
    await file.close();
  }
}

async function makeTree(root: string): Promise<void> {
  const content = randomBytes(2000);
  for (let folder = 0; folder < 100; folder += 1) {
    const path = join(root, `folder-${folder}`);
    await mkdir(path, { recursive: true });
    for (let file = 0; file < 100; file += 1) {
      content.writeUInt32BE(folder * 100 + file);
      await writeFile(join(path, `file-${file}.bin`), content);
    }
  }
}
