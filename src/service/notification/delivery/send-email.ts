import { errorMessage } from '../../../runtime/failure.ts';
import { isLoopback } from '../../../runtime/unencrypted-url.ts';
import { rejectOnAbort } from '../../platform/network/deadline.ts';
import { DeliveryError } from './post-json.ts';

export interface MailServer {
  /** The address of the server: `smtps://user:password@mail.example.com`. */
  readonly url: string;
  readonly from: string;
}

/** An e-mail, in plain text, so that reported data cannot become markup. */
export interface Mail {
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** In milliseconds. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/**
 * Sends an e-mail. Resolves when the server has accepted it for at least one of the recipients, with those that it
 * refused: if the e-mail was sent again, the others would get it twice.
 *
 * @throws DeliveryError
 */
export async function sendEmail(settings: MailServer, mail: Mail, signal: AbortSignal): Promise<readonly string[]> {
  // Loaded by the first e-mail, because most services send none.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: settings.url,
    requireTLS: hasSecretInTransit(settings.url),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const sent = transport.sendMail({
      from: settings.from,
      // As objects, because a text would be parsed for names, groups and further addresses.
      to: mail.recipients.map((address) => ({ name: '', address })),
      subject: mail.subject,
      text: mail.text,
      // Prevents automatic replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    // After an abort, the connection ends by its own timeout.
    const { rejected } = await Promise.race([sent, rejectOnAbort(signal)]);
    return rejected;
  } catch (error) {
    throw new DeliveryError(`the mail server did not accept the e-mail: ${errorMessage(error)}`, { cause: error });
  } finally {
    transport.close();
  }
}

/** Whether a password goes to another machine: without TLS, or if somebody removes the offer of STARTTLS, it can be read. */
function hasSecretInTransit(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.password !== '' && !isLoopback(url.hostname);
}
