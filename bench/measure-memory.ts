import { join } from 'node:path';
import type { Fixture } from './fixture.ts';
import { interleavedMedians } from './interleave.ts';
import { peakMemory } from './peak-memory.ts';
import { type Row, withTarget } from './row.ts';
import type { Command } from './run-process.ts';
import { bareNode } from './step-command.ts';
import { bytesOfMegabyte, megabytes, times } from './units.ts';

/** The peak memory of whole steps, above that of a reference. */
export async function measureMemory({ steps, directory }: Fixture, rounds: number): Promise<readonly Row[]> {
  const file = join(directory, 'peak-memory');
  const peakOf = (command: Command) => (): number => peakMemory(command, file);
  const peak = await interleavedMedians(
    {
      bare: peakOf({ ...bareNode, environment: steps.getArtifact.environment ?? {} }),
      getArtifact: peakOf(steps.getArtifact),
      attestNothing: peakOf(steps.attestNothing),
      attestLargeFile: peakOf(steps.attestLargeFile),
      attestArchive: peakOf(steps.attestArchive),
    },
    rounds,
  );
  const above = (what: string, figure: number, [name, reference]: [string, number], limits: [number, number]): Row => {
    const extra = figure - reference;
    const against = `${name} ${megabytes(reference)}`;
    const measured = { what, figure: megabytes(extra), against, ratio: times(figure / reference) };
    const [mustReach, aimFor] = limits.map((limit) => limit * bytesOfMegabyte);
    if (mustReach === undefined || aimFor === undefined) throw new RangeError('a target needs two limits');
    return withTarget(measured, extra, { better: 'lower', mustReach, aimFor }, megabytes);
  };
  const nothing: [string, number] = ['without attachment', peak.attestNothing];
  return [
    above('get-artifact, peak memory above bare node', peak.getArtifact, ['bare node', peak.bare], [40, 25]),
    above('extra peak memory of a 10 MB attachment, one file', peak.attestLargeFile, nothing, [8, 4]),
    above('extra peak memory of a 10 MB attachment, archive of 1,000 files', peak.attestArchive, nothing, [8, 4]),
  ];
}
