import { createServer, type Socket } from 'node:net';
import { listen, trackConnections } from '../../tools/loopback-server.ts';

/** An e-mail as a mail server receives it. */
export interface TakenMail {
  readonly from: string;
  readonly recipients: readonly string[];
  /** Headers and text as they were sent. */
  readonly data: string;
}

/** A mail server on the loopback interface that accepts e-mails or refuses them. */
export interface MailServer {
  readonly url: string;
  readonly mails: readonly TakenMail[];
  stop(): Promise<void>;
}

/** Starts a minimal mail server (RFC 5321), which refuses everything, or one recipient. The caller must stop it. */
export async function startMailServer({ refuse = false, unknown = '' } = {}): Promise<MailServer> {
  const mails: TakenMail[] = [];
  const server = createServer((socket) => {
    converse(socket.setEncoding('utf8'), { refuse, unknown }, (mail) => mails.push(mail));
  });
  const { close } = trackConnections(server);
  return { url: `smtp://127.0.0.1:${await listen(server)}`, mails, stop: close };
}

function converse(
  socket: Socket,
  { refuse, unknown }: { readonly refuse: boolean; readonly unknown: string },
  take: (mail: TakenMail) => void,
): void {
  let [input, from, data] = ['', '', false as boolean];
  let recipients: string[] = [];
  const addressIn = (line: string): string => /<(.*)>/u.exec(line)?.[1] ?? '';
  const answers: Readonly<Record<string, (line: string) => string>> = {
    EHLO: () => '250 localhost',
    STAR: () => '502 no STARTTLS',
    MAIL: (line) => {
      [from, recipients] = [addressIn(line), []];
      return refuse ? '550 not from you' : '250 OK';
    },
    RCPT: (line) => {
      if (addressIn(line) === unknown) return '550 no such user';
      recipients.push(addressIn(line));
      return '250 OK';
    },
    DATA: () => {
      data = true;
      return '354 go on';
    },
    QUIT: () => '221 bye',
  };
  socket.write('220 localhost\r\n');
  socket.on('data', (text: string) => {
    input += text;
    const ending = (): string => (data ? '\r\n.\r\n' : '\r\n');
    for (let end = input.indexOf(ending()); end !== -1; end = input.indexOf(ending())) {
      const [piece, length] = [input.slice(0, end), ending().length];
      input = input.slice(end + length);
      if (data) {
        take({ from, recipients, data: piece });
        data = false;
        socket.write('250 OK\r\n');
      } else {
        socket.write(`${answers[piece.slice(0, 4).toUpperCase()]?.(piece) ?? '250 OK'}\r\n`);
      }
    }
  });
}
