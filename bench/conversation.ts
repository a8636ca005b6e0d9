import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';

/** One connection to a service, on which one request is asked after the other. */
export class Conversation {
  readonly #socket: Socket;
  #heard: (chunk: Buffer | undefined) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#heard(chunk);
    });
    socket.on('close', () => {
      this.#heard(undefined);
    });
  }

  /** Connects to a port on the loopback. Close it. */
  static async open(port: number): Promise<Conversation> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Conversation(socket);
  }

  /**
   * Asks, and gives the milliseconds until the whole answer was there.
   *
   * @param request as it goes over the wire
   * @throws Error where the answer has another status, or the connection ends before it
   */
  ask(request: string, status: number): Promise<number> {
    const reader = new AnswerReader();
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      this.#heard = (chunk) => {
        const answered = chunk === undefined ? 'nothing, and closed the connection' : reader.push(chunk);
        if (answered === undefined) return;
        if (answered === status) resolve(performance.now() - begun);
        else reject(new Error(`answered ${answered}:\n${chunk?.toString('utf8') ?? ''}`));
      };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
