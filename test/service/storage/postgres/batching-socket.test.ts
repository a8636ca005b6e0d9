import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { BatchingSocket } from '../../../../src/service/storage/postgres/batching-socket.ts';

describe('the socket of a connection', () => {
  let server: Server;
  let received: string;
  let socket: BatchingSocket;

  beforeEach(async () => {
    received = '';
    server = createServer((client) => {
      client.on('data', (chunk) => (received += chunk.toString('latin1')));
      client.on('end', () => client.end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = new BatchingSocket();
    socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
  });
  afterEach(async () => {
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    server.close();
  });

  /** Writes as the driver does for a statement. */
  const send = (...messages: readonly string[]): void => {
    socket.cork();
    for (const message of messages) socket.write(message);
    socket.uncork();
  };
  const finish = async (): Promise<string> => {
    const ended = once(socket.resume(), 'end');
    socket.end();
    await ended;
    return received;
  };

  it('sends together what is written in one turn, in order', async () => {
    const sent = jest.spyOn(socket, '_writev');
    send('a', 'b');
    await Promise.resolve();
    send('c');
    socket.write('d');
    expect(sent).not.toHaveBeenCalled();
    expect(await finish()).toBe('abcd');
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('sends what is written in another turn by itself', async () => {
    const sent = jest.spyOn(socket, '_writev');
    send('a', 'b');
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveBeenCalledTimes(1);
    send('c', 'd');
    expect(await finish()).toBe('abcd');
    expect(sent).toHaveBeenCalledTimes(2);
  });
});
