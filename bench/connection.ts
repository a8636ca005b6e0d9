import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';

/** One connection to a service, on which one request is asked after the other. */
export class Connection {
  readonly #socket: Socket;
  #onData: (chunk: Buffer | undefined) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#onData(chunk);
    });
    socket.on('close', () => {
      this.#onData(undefined);
    });
  }

  /** Connects to a port on the loopback. Close it. */
  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /**
   * Asks, and gives the milliseconds until the whole answer was there.
   *
   * @param text as it goes over the wire
   * @throws Error where the answer has another status, or the connection ends before it
   */
  request(text: string, status: number): Promise<number> {
    const reader = new ResponseReader();
    const started = performance.now();
    return new Promise((resolve, reject) => {
      this.#onData = (chunk) => {
        const outcome = chunk === undefined ? 'nothing, and closed the connection' : reader.push(chunk);
        if (outcome === undefined) return;
        if (outcome === status) resolve(performance.now() - started);
        else reject(new Error(`answered ${outcome}:\n${chunk?.toString('utf8') ?? ''}`));
      };
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
