import { Transform } from 'node:stream';
import { type JoinedConnections, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/**
 * Where a connection is cut: `before` the server gets the COMMIT; `after` it has committed, without its answer; `early`:
 * as the COMMIT is sent, which reaches the server only when the test says so.
 */
export type Cut = 'before' | 'after' | 'early';

/** A proxy in front of a PostgreSQL server that cuts connections when a transaction with a given statement commits. */
export interface CommitCutter extends TcpProxy {
  /** Cuts the connection of the next such transaction that is committed. Resolves when it is cut. */
  cutNext(cut: Cut): Promise<void>;
  /** After an `early` cut: passes the COMMIT on to the server. */
  passCommit(): void;
}

/** A query message with the text COMMIT: the type, the length of the rest, and the text. */
const commit = Buffer.concat([Buffer.from('Q'), Buffer.from([0, 0, 0, 11]), Buffer.from('COMMIT\0')]);
/** The message that a COMMIT was carried out. */
const committed = Buffer.concat([Buffer.from('C'), Buffer.from([0, 0, 0, 11]), Buffer.from('COMMIT\0')]);

interface ArmedCut {
  readonly cut: Cut;
  readonly done: () => void;
}

/**
 * Starts a proxy on the loopback interface for the server of this database. The caller must close it.
 *
 * @param statement the name of the statement whose transactions can be cut; by default any that records something
 */
export async function startCommitCutter(
  { hostname, port }: URL,
  statement = 'transactions.record',
): Promise<CommitCutter> {
  const named = Buffer.from(`${statement}\0`);
  let armed: ArmedCut | undefined;
  let passCommit: () => void = () => undefined;

  const join = ({ client, upstream, separate }: JoinedConnections): { toServer: Transform; toClient: Transform } => {
    let isNamed = false;
    /** Set from the COMMIT on. */
    let cutting: ArmedCut | undefined;
    const toServer = new Transform({
      transform(sent: Buffer, _encoding, done) {
        const place = sent.indexOf(commit);
        isNamed ||= sent.includes(named);
        if (place === -1 || !isNamed) {
          done(null, sent);
          return;
        }
        isNamed = false;
        cutting = armed;
        armed = undefined;
        if (cutting === undefined || cutting.cut === 'after') {
          done(null, sent);
          return;
        }
        if (cutting.cut === 'early') {
          separate();
          passCommit = () => upstream.write(commit);
        }
        done(null, sent.subarray(0, place));
        client.resetAndDestroy();
        cutting.done();
      },
    });
    const toClient = new Transform({
      transform(answered: Buffer, _encoding, done) {
        if (cutting?.cut === 'after' && answered.includes(committed)) {
          client.resetAndDestroy();
          cutting.done();
          done();
        } else {
          done(null, answered);
        }
      },
    });
    return { toServer, toClient };
  };

  const proxy = await startTcpProxy({ host: hostname, port: Number(port === '' ? 5432 : port) }, join);
  return {
    ...proxy,
    cutNext: (cut) =>
      new Promise((resolve) => {
        armed = { cut, done: resolve };
      }),
    passCommit: () => {
      passCommit();
    },
  };
}
