import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StatementRecorder } from '../../../bench/postgres/statement-recorder.ts';

/** A message of the protocol: its type, the length of the rest, and the rest. */
function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(type.length + 4);
  head.write(type);
  head.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

const text = (content: string): Buffer => Buffer.from(`${content}\0`);
const int16 = (number: number): Buffer => Buffer.from([number >> 8, number & 0xff]);
const int32 = (number: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
};

const startup = message('', int32(196_608), text('user'), text('ann'), text(''));
const query = (statement: string): Buffer => message('Q', text(statement));
const parse = (name: string, statement: string): Buffer => message('P', text(name), text(statement), int16(0));

/** Executes a prepared statement. Without formats, all values are texts. */
function bind(name: string, values: readonly (string | Buffer | null)[], formats: readonly number[] = []): Buffer {
  const codes = [int16(formats.length), ...formats.map(int16)];
  const contents = values.map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  return message('B', text(''), text(name), ...codes, int16(values.length), ...contents, int16(0));
}

describe('the recorder of statements', () => {
  let server: Server;
  let recorder: StatementRecorder;
  /** What the server has received on all connections, which it also sends back. */
  let received: Buffer[];

  beforeEach(async () => {
    received = [];
    server = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk);
        socket.write(chunk);
      });
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A server without a port');
    recorder = await StatementRecorder.start(address.port);
  });
  afterEach(async () => {
    await recorder.close();
    server.close();
    await once(server, 'close');
  });

  const openConnection = async (): Promise<Socket> => {
    const socket = connect(recorder.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  /** Sends each chunk on its own, and waits until the server has sent everything back. */
  const send = async (socket: Socket, ...chunks: readonly Buffer[]): Promise<void> => {
    for (const chunk of chunks) {
      let missing = chunk.length;
      socket.write(chunk);
      while (missing > 0) {
        const [echo] = (await once(socket, 'data')) as [Buffer];
        missing -= echo.length;
      }
    }
  };

  it('passes everything on, in both directions', async () => {
    const socket = await openConnection();
    await send(socket, startup, query('SELECT 1'));
    expect(Buffer.concat(received)).toEqual(Buffer.concat([startup, query('SELECT 1')]));
  });

  it('finds the latest transaction with a word, with its values', async () => {
    const socket = await openConnection();
    const insert = parse('flows.insert', 'INSERT INTO flows VALUES ($1, $2, $3)');
    await send(socket, startup, Buffer.concat([insert, bind('flows.insert', ['acme', '', null])]));
    await send(socket, query('BEGIN'), bind('flows.insert', ['acme', 'Überblick', '2']), query('COMMIT'));
    expect(recorder.findTransaction('INTO flows')).toMatchObject([
      { text: 'BEGIN', values: [] },
      { text: 'INSERT INTO flows VALUES ($1, $2, $3)', values: ['acme', 'Überblick', '2'] },
      { text: 'COMMIT', values: [] },
    ]);
    expect(() => recorder.findTransaction('DELETE')).toThrow('no statement with DELETE was recorded');
  });

  it.each([[[0, 1, 0]], [[1]]])('writes bytes as the database writes them as text: formats %j', async (formats) => {
    const socket = await openConnection();
    const values = formats.length === 1 ? [Buffer.from([0, 255])] : ['acme', Buffer.from([0, 255]), null];
    await send(socket, startup, parse('flows.insert', 'INSERT'), query('BEGIN'));
    await send(socket, bind('flows.insert', values, formats), query('COMMIT'));
    const recorded = formats.length === 1 ? ['\\x00ff'] : ['acme', '\\x00ff', null];
    expect(recorder.findTransaction('INSERT')[1]).toMatchObject({ values: recorded });
  });

  it('reads messages that arrive in pieces', async () => {
    const socket = await openConnection();
    const statement = [parse('one', 'SELECT $1'), bind('one', ['value'])];
    const whole = Buffer.concat([startup, query('BEGIN'), ...statement, query('COMMIT')]);
    await send(socket, ...Array.from(whole, (_, at) => whole.subarray(at, at + 1)));
    expect(recorder.findTransaction('SELECT')).toMatchObject([
      { text: 'BEGIN' },
      { text: 'SELECT $1', values: ['value'] },
      { text: 'COMMIT' },
    ]);
  });

  it('finds the transaction of a statement, of one connection', async () => {
    const [one, other] = [await openConnection(), await openConnection()];
    await send(one, startup, query('BEGIN'), query('INSERT 1'), query('COMMIT'));
    await send(one, query('BEGIN ISOLATION LEVEL SERIALIZABLE'), query('SELECT lock'));
    await send(other, startup, query('BEGIN'), query('SELECT 1'));
    await send(one, query('INSERT 2'));
    await send(other, query('COMMIT'));
    await send(one, query('COMMIT'), query('SELECT after'));
    expect(recorder.findTransaction('INSERT').map((statement) => statement.text)).toEqual([
      'BEGIN ISOLATION LEVEL SERIALIZABLE',
      'SELECT lock',
      'INSERT 2',
      'COMMIT',
    ]);
    expect(() => recorder.findTransaction('after')).toThrow('the statement with after was not in a transaction');
  });
});
