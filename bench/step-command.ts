import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAction, type StepSettings } from '../tools/run-action.ts';
import { distFile } from './built-action.ts';
import type { Command } from './run-process.ts';

/** A bare `node -e 0`: what the runtime costs before it does anything, the floor of every step. */
export const bareNode: Command = { program: process.execPath, parameters: ['-e', '0'] };

/**
 * A step as a runner starts it, ready to be run many times: the files that a runner makes for a step are there already, and
 * are emptied before each run, outside the time that is taken.
 *
 * @param directory a folder of its own, for these files; made here
 */
export async function stepCommand(directory: string, settings: StepSettings): Promise<Command> {
  mkdirSync(directory);
  const temporary = join(directory, 'temp');
  mkdirSync(temporary);
  const output = join(directory, 'output');
  const summary = join(directory, 'summary.md');
  const event = join(directory, 'event.json');
  writeFileSync(event, JSON.stringify(settings.event));
  return {
    program: process.execPath,
    parameters: [distFile],
    environment: {
      ...(await environmentOf(settings)),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_EVENT_PATH: event,
      RUNNER_TEMP: temporary,
    },
    prepare() {
      writeFileSync(output, '');
      writeFileSync(summary, '');
    },
  };
}

/** The variables that a step is started with, as the tests and the trial start it too: a step that only tells them. */
async function environmentOf(settings: StepSettings): Promise<Record<string, string>> {
  const program = [process.execPath, '-p', 'JSON.stringify(process.env)'];
  const { log } = await runAction({ ...settings, program });
  // The variables of a process are texts.
  return JSON.parse(log) as Record<string, string>;
}
