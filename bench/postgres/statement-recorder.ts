import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A statement as a client sent it, with the values of `$1`, `$2`, … in the text format of PostgreSQL. */
export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/**
 * Passes connections on to a PostgreSQL server, and records the statements that are sent, so that a measurement uses what
 * the service really sends. It understands as much of the protocol as the service uses: no TLS, and bytes as the only values that are not sent as text.
 */
export class StatementRecorder {
  readonly #proxy: Server;
  readonly #sockets = new Set<Socket>();
  /** Of all connections, in the order in which they were sent. */
  readonly #sent: SentStatement[] = [];

  private constructor(target: number) {
    this.#proxy = createServer((client) => {
      const reader = new ClientMessages((statement) => this.#sent.push({ ...statement, connection: client }));
      const server = connect({ port: target, host: '127.0.0.1', noDelay: true });
      client.setNoDelay(true);
      client.on('data', (chunk) => {
        reader.push(chunk);
      });
      client.pipe(server);
      server.pipe(client);
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        // The service closes its connections when it stops.
        socket.on('error', () => undefined);
      }
    });
  }

  /** @param target the port of the server on the loopback interface */
  static async start(target: number): Promise<StatementRecorder> {
    const recorder = new StatementRecorder(target);
    recorder.#proxy.listen(0, '127.0.0.1');
    await once(recorder.#proxy, 'listening');
    return recorder;
  }

  /** The port to connect to instead of the server's. */
  get port(): number {
    // A server on the loopback interface has such an address.
    return (this.#proxy.address() as AddressInfo).port;
  }

  /**
   * The statements of the latest transaction that contains a statement with this word, including its `BEGIN` and
   * `COMMIT`.
   *
   * @throws Error if there is none
   */
  findTransaction(word: string): readonly RecordedStatement[] {
    const last = this.#findLast(word);
    const sent = this.#sent.filter(({ connection }) => connection === last.connection);
    const at = sent.indexOf(last);
    const begin = sent.findLastIndex(({ text }, index) => index <= at && text.startsWith('BEGIN'));
    const end = sent.findIndex(({ text }, index) => index > at && text === 'COMMIT');
    if (begin < 0 || end < 0) throw new Error(`the statement with ${word} was not in a transaction`);
    return sent.slice(begin, end + 1);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#proxy.close();
    await once(this.#proxy, 'close');
  }

  #findLast(word: string): SentStatement {
    const found = this.#sent.findLast(({ text }) => text.includes(word));
    if (found === undefined) throw new Error(`no statement with ${word} was recorded`);
    return found;
  }
}

interface SentStatement extends RecordedStatement {
  readonly connection: Socket;
}

/** Reads the messages of one client (PostgreSQL's documentation, "Message Formats"). */
class ClientMessages {
  readonly #report: (statement: RecordedStatement) => void;
  readonly #prepared = new Map<string, string>();
  #received: Buffer = Buffer.alloc(0);
  #isStarted = false;

  /** @param report is called with every statement that is executed */
  constructor(report: (statement: RecordedStatement) => void) {
    this.#report = report;
  }

  push(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      // The first message has no type.
      const head = this.#isStarted ? 1 : 0;
      if (this.#received.length < head + 4) return;
      const end = head + this.#received.readInt32BE(head);
      if (this.#received.length < end) return;
      if (this.#isStarted) this.#read(String.fromCharCode(this.#received[0] ?? 0), this.#received.subarray(5, end));
      this.#isStarted = true;
      this.#received = this.#received.subarray(end);
    }
  }

  #read(type: string, body: Buffer): void {
    const reader = new MessageReader(body);
    if (type === 'Q') this.#report({ text: reader.text(), values: [] });
    if (type === 'P') this.#prepared.set(reader.text(), reader.text());
    if (type === 'B') this.#bind(reader);
  }

  #bind(reader: MessageReader): void {
    reader.text();
    const text = this.#prepared.get(reader.text()) ?? '';
    const formats = reader.list(() => reader.int16());
    // One format is that of all values.
    const values = reader.list((index) => reader.value((formats.length === 1 ? formats[0] : formats[index]) === 1));
    this.#report({ text, values });
  }
}

class MessageReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  int16(): number {
    this.#at += 2;
    return this.#body.readInt16BE(this.#at - 2);
  }

  /** A text that ends with a zero. */
  text(): string {
    const begin = this.#at;
    const end = this.#body.indexOf(0, begin);
    this.#at = end + 1;
    return this.#body.toString('utf8', begin, end);
  }

  /** A text, or bytes in the text format of `bytea`, with the length; -1 means NULL. */
  value(isBinary: boolean): string | null {
    const begin = this.#at + 4;
    const length = this.#body.readInt32BE(this.#at);
    this.#at = begin + Math.max(length, 0);
    if (length < 0) return null;
    return isBinary
      ? `\\x${this.#body.toString('hex', begin, this.#at)}`
      : this.#body.toString('utf8', begin, this.#at);
  }

  list<Item>(read: (index: number) => Item): readonly Item[] {
    return Array.from({ length: this.int16() }, (_, index) => read(index));
  }
}
