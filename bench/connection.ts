import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';

/** A connection to a service, for one request at a time. */
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

  /** Connects to a port on the loopback interface. The caller must close the connection. */
  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /**
   * Sends a request and returns the milliseconds until the whole response has arrived.
   *
   * @param text the request as it goes over the wire
   * @throws Error if the response has another status, or if the connection ends first
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
