import { keyExpiryHeader } from '../contract/key-expiry-header.ts';
import type { HttpResponse } from '../http/transport.ts';
import { toDay } from '../runtime/clock.ts';
import type { Dependencies } from '../runtime/dependencies.ts';

/** Warns once if the service says that the API key expires soon. */
export class KeyExpiryWarning {
  readonly #log: Dependencies['log'];
  #isGiven = false;

  constructor({ log }: Pick<Dependencies, 'log'>) {
    this.#log = log;
  }

  /** @param headers the headers of an answer */
  report(headers: HttpResponse['headers']): void {
    const seconds = /^@(\d{1,11})$/u.exec(headers[keyExpiryHeader]?.trim() ?? '')?.[1];
    if (seconds === undefined || this.#isGiven) return;
    this.#isGiven = true;
    this.#log.warning(
      `\`api-token\` expires on ${toDay(Number(seconds))}: have an admin of the organization rotate the key, and store the new one in the ` +
        'secret before then',
    );
  }
}
