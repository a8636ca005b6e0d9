import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Where a connection is cut: `before` the server gets the COMMIT; `after` it has committed, without its answer; `early`:
 * as the COMMIT is sent, which reaches the server only when the test says so.
 */
export type Cut = 'before' | 'after' | 'early';

/** A proxy in front of a PostgreSQL server that cuts connections at the commit of a transaction that records something. */
export interface CommitCutter {
  readonly port: number;
  /** Cuts the connection of the next recording transaction that is committed. Resolves when it is cut. */
  cutNext(cut: Cut): Promise<void>;
  /** After an `early` cut: passes the COMMIT on to the server. */
  passCommit(): void;
  /** Whether new connections are refused. */
  refuse(isRefusing: boolean): void;
  /** Resets all connections. */
  reset(): void;
  close(): Promise<void>;
}

/** What the service sends before a COMMIT if its transaction records something. */
const recording = Buffer.from('transactions.record\0');
/** A query message with the text COMMIT: the type, the length of the rest, and the text. */
const commit = Buffer.concat([Buffer.from('Q'), Buffer.from([0, 0, 0, 11]), Buffer.from('COMMIT\0')]);
/** The message that a COMMIT was carried out. */
const committed = Buffer.concat([Buffer.from('C'), Buffer.from([0, 0, 0, 11]), Buffer.from('COMMIT\0')]);

interface ArmedCut {
  readonly cut: Cut;
  readonly done: () => void;
}

/** Starts a proxy on the loopback interface for the server of this database. The caller must close it. */
export async function startCommitCutter({ hostname, port }: URL): Promise<CommitCutter> {
  const sockets = new Set<Socket>();
  let armed: ArmedCut | undefined;
  let isRefusing = false;
  let passCommit: () => void = () => undefined;

  const join = (client: Socket, upstream: Socket): void => {
    let isRecording = false;
    /** Set from the COMMIT on. */
    let cutting: ArmedCut | undefined;
    client.on('data', (sent: Buffer) => {
      const place = sent.indexOf(commit);
      isRecording ||= sent.includes(recording);
      if (place === -1 || !isRecording) {
        upstream.write(sent);
        return;
      }
      isRecording = false;
      cutting = armed;
      armed = undefined;
      if (cutting === undefined || cutting.cut === 'after') {
        upstream.write(sent);
        return;
      }
      upstream.write(sent.subarray(0, place));
      if (cutting.cut === 'early') {
        passCommit = () => upstream.write(commit);
        client.removeAllListeners('close');
      }
      client.resetAndDestroy();
      cutting.done();
    });
    upstream.on('data', (answered: Buffer) => {
      if (cutting?.cut === 'after' && answered.includes(committed)) {
        client.resetAndDestroy();
        cutting.done();
      } else if (!client.destroyed) {
        client.write(answered);
      }
    });
  };

  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(port === '' ? 5432 : port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    join(client, upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server without a port');
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    cutNext: (cut) =>
      new Promise((resolve) => {
        armed = { cut, done: resolve };
      }),
    passCommit: () => {
      passCommit();
    },
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    reset,
    close: async () => {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}
