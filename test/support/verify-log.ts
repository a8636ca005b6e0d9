import { errorMessage } from '../../src/runtime/failure.ts';
import { parseLogCommand } from '../../src/service/commands/parse-log-command.ts';
import { runLogCommand } from '../../src/service/commands/run-log-command.ts';
import { storageDependencies } from './storage-dependencies.ts';

/** Runs a command about transparency logs in this process, and returns its output with the message of its error. */
export async function runLog(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    const command = parseLogCommand(words, environment);
    if (command === undefined) throw new Error('no command about transparency logs');
    await runLogCommand(command, { ...storageDependencies(), writeLine: (line) => lines.push(line) });
  } catch (error) {
    lines.push(errorMessage(error));
  }
  return lines;
}
