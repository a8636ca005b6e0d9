import { errorMessage } from '../../runtime/failure.ts';

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
