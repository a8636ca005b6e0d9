import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection } from '../../bench/connection.ts';

const answer = (status: number): string => `HTTP/1.1 ${status} OK\r\ncontent-length: 2\r\n\r\nok`;

describe('a connection to a service', () => {
  let server: Server;
  let connection: Connection;
  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on('data', (request) => {
        const asked = request.toString('utf8');
        if (asked === 'leave') socket.destroy();
        else socket.write(answer(asked === 'refuse' ? 500 : 200));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    connection = await Connection.open(address !== null && typeof address === 'object' ? address.port : 0);
  });
  afterEach(async () => {
    connection.close();
    server.close();
    await once(server, 'close');
  });

  it('sends one request after the other', async () => {
    for (const request of ['one', 'two']) expect(await connection.request(request, 200)).toBeGreaterThan(0);
  });

  it('does not measure a response with another status', async () => {
    await expect(connection.request('refuse', 200)).rejects.toThrow('answered 500');
    expect(await connection.request('again', 200)).toBeGreaterThan(0);
  });

  it('does not wait for a response on a connection that has ended', async () => {
    await expect(connection.request('leave', 200)).rejects.toThrow('answered nothing, and closed the connection');
  });
});
