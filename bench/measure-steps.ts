import type { Steps } from './fixture.ts';
import { interleavedMedians } from './interleave.ts';
import { type Row, withTarget } from './row.ts';
import { type Command, runProcess } from './run-process.ts';
import { bareNode } from './step-command.ts';
import { milliseconds, times } from './units.ts';

/** The time of whole steps, from the start of the process to its end, compared with a bare `node -e 0`. */
export async function measureSteps(steps: Steps, rounds: number): Promise<readonly Row[]> {
  const wallOf = (command: Command) => (): number => runProcess(command).wall;
  const wall = await interleavedMedians(
    {
      bare: wallOf({ ...bareNode, environment: steps.getArtifact.environment ?? {} }),
      getArtifact: wallOf(steps.getArtifact),
      attestSmallFile: wallOf(steps.attestSmallFile),
      attestNothing: wallOf(steps.attestNothing),
      attestLargeFile: wallOf(steps.attestLargeFile),
    },
    rounds,
  );
  const against = `bare node ${milliseconds(wall.bare)}`;
  const step = (what: string, figure: number, mustReach: number, aimFor: number): Row => {
    const ratio = figure / wall.bare;
    const measured = { what, figure: milliseconds(figure), against, ratio: times(ratio) };
    return withTarget(measured, ratio, { better: 'lower', mustReach, aimFor }, times);
  };
  const extra = wall.attestLargeFile - wall.attestNothing;
  return [
    step('get-artifact, whole step', wall.getArtifact, 2.5, 2.0),
    step('attest-sonar with a 100 kB attachment, whole step', wall.attestSmallFile, 3.5, 2.8),
    withTarget(
      {
        what: 'extra time of a 10 MB attachment, one file',
        figure: milliseconds(extra),
        against: `without attachment ${milliseconds(wall.attestNothing)}`,
        ratio: times(wall.attestLargeFile / wall.attestNothing),
      },
      extra,
      { better: 'lower', mustReach: 40, aimFor: 20 },
      milliseconds,
    ),
  ];
}
