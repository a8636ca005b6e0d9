import { errorMessage } from '../../src/runtime/failure.ts';
import { rotateSigningKey, verifierKey, verify } from '../../src/service/commands/log-commands.ts';
import { storageDependencies } from './storage-dependencies.ts';

/** Runs a command about transparency logs in this process, and returns its output with the message of its error. */
export async function runLog(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    const [name = '', ...rest] = words;
    const command = { verify, 'verifier-key': verifierKey, 'rotate-signing-key': rotateSigningKey }[name];
    const terminal = { isInteractive: true, writeLine: (line: string) => lines.push(line) };
    await command?.run(rest, environment, { ...storageDependencies(), ...terminal });
  } catch (error) {
    lines.push(errorMessage(error));
  }
  return lines;
}
