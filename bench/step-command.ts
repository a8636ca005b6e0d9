import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAction, type StepSettings } from '../tools/run-action.ts';
import { distFile } from './built-action.ts';
import type { Command } from './run-process.ts';

/** A bare `node -e 0`: the cost of the runtime itself, which no step can go below. */
export const bareNode: Command = { program: process.execPath, parameters: ['-e', '0'] };

/**
 * Prepares a step that can be run many times, as a runner would. The files that a runner makes for a step exist
 * already, and are emptied before each run; this is not part of the measured time.
 *
 * @param directory a new folder for these files, which is created
 */
export async function stepCommand(directory: string, settings: StepSettings): Promise<Command> {
  mkdirSync(directory);
  const temporary = join(directory, 'temp');
  mkdirSync(temporary);
  const output = join(directory, 'output');
  const summary = join(directory, 'summary.md');
  const event = join(directory, 'event.json');
  let runs = 0;
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
      // The service would only repeat its answer to a step that it knows.
      return { GITHUB_ACTION: `__step_${(runs += 1)}` };
    },
  };
}

/** The variables that a step gets in the tests and the trial: runs a program that prints them as a step. */
async function environmentOf(settings: StepSettings): Promise<Record<string, string>> {
  const program = [process.execPath, '-p', 'JSON.stringify(process.env)'];
  const { log } = await runAction({ ...settings, program });
  // The variables of a process are strings.
  return JSON.parse(log) as Record<string, string>;
}
