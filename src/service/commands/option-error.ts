/** An invalid option; the message names the option and the remedy. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}
