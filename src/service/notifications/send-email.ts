import { errorMessage } from '../../runtime/failure.ts';
import { DeliveryError } from './post-json.ts';

/** How e-mails leave. */
export interface MailServer {
  /** The server: `smtps://user:password@mail.example.com`. */
  readonly url: string;
  /** Whom they are from. */
  readonly from: string;
}

/** An e-mail, in plain text only: nothing that was reported can become markup. */
export interface Mail {
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** In milliseconds. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/**
 * Hands an e-mail to the server, and ends when the server has taken it for at least one of its recipients.
 *
 * @throws DeliveryError
 */
export async function sendEmail(settings: MailServer, mail: Mail, signal: AbortSignal): Promise<void> {
  // Loaded by the first e-mail, because most services send none.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: settings.url,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const sent = transport.sendMail({
      from: settings.from,
      // As objects, because a text would be read for names, groups and further addresses.
      to: mail.recipients.map((address) => ({ name: '', address })),
      subject: mail.subject,
      text: mail.text,
      // So that no out-of-office note answers it (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    await Promise.race([sent, aborted(signal)]);
  } catch (error) {
    throw new DeliveryError(`the mail server did not accept the e-mail: ${errorMessage(error)}`, { cause: error });
  } finally {
    transport.close();
  }
}

/** Never resolves; rejects as soon as it is called off. The connection then ends by its own timeout. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => {
      reject(new Error('it was broken off'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
