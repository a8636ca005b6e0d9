import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { errorMessage } from '../../runtime/failure.ts';
import type { StorageDependencies } from '../platform/database/storage.ts';
import type { Terminal } from './output-api-key.ts';

/** An invalid option; the message names the option and the remedy. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

export const helpFlag = { type: 'boolean', short: 'h' } as const;

/**
 * Runs a parser of arguments, and adds the help text to its errors.
 *
 * @throws OptionError
 */
export function withUsage<Parsed>(usage: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw new OptionError(`${errorMessage(error)}\n\n${usage}`, { cause: error });
  }
}

export const dataUsage = '  --data FOLDER\n      the data folder (default service-data); or COMPLIANCE_SERVICE_DATA';
export const databaseUsage =
  '  --database URL\n      the PostgreSQL database, if the service uses one; or COMPLIANCE_SERVICE_DATABASE';

export type CommandDependencies = StorageDependencies & Pick<Terminal, 'isInteractive' | 'writeLine'>;

/** Parses the arguments and runs a command. Rejects with an error that says what to do. */
export type RunCommand = (
  words: readonly string[],
  environment: EnvironmentVariables,
  dependencies: CommandDependencies,
) => Promise<void>;

type ParseOptions = NonNullable<ParseArgsConfig['options']>;

interface CommandDefinition<Options extends ParseOptions, Request> {
  /** The lines of its help. */
  readonly usage: readonly string[];
  /** As `parseArgs` takes them. */
  readonly options: Options;
  readonly takesFolder?: boolean;
  /** Reads the request from the arguments and the environment; undefined for the help. `usage` is for its errors. */
  readonly read: (
    given: ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> & {
      readonly words: readonly string[];
    },
    environment: EnvironmentVariables,
    usage: string,
  ) => Request | undefined;
  readonly carryOut: (request: Request, dependencies: CommandDependencies) => Promise<void>;
}

export interface Command<Request> {
  /**
   * Returns undefined if the help is wanted.
   *
   * @throws OptionError
   */
  readonly parse: (words: readonly string[], environment: EnvironmentVariables) => Request | undefined;
  readonly carryOut: (request: Request, dependencies: CommandDependencies) => Promise<void>;
  readonly run: RunCommand;
}

/** Defines a command of the service besides that which starts it. */
export function defineCommand<const Options extends ParseOptions, Request>({
  usage: lines,
  options,
  takesFolder: allowPositionals = false,
  read,
  carryOut,
}: CommandDefinition<Options, Request>): Command<Request> {
  const usage = lines.join('\n');
  const parse: Command<Request>['parse'] = (words, environment) => {
    const config = { args: [...words], options: { ...options, help: helpFlag }, allowPositionals };
    const given = withUsage(usage, () => parseArgs(config));
    const isHelp = Object.hasOwn(given.values, 'help');
    return isHelp ? undefined : read({ ...given, words }, environment, usage);
  };
  const run: RunCommand = async (words, environment, dependencies) => {
    const request = parse(words, environment);
    if (request === undefined) dependencies.writeLine(usage);
    else await carryOut(request, dependencies);
  };
  return { parse, carryOut, run };
}
