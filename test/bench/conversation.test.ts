import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Conversation } from '../../bench/conversation.ts';

const answer = (status: number): string => `HTTP/1.1 ${status} OK\r\ncontent-length: 2\r\n\r\nok`;

describe('a conversation with a service', () => {
  let server: Server;
  let conversation: Conversation;
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
    conversation = await Conversation.open(address !== null && typeof address === 'object' ? address.port : 0);
  });
  afterEach(async () => {
    conversation.close();
    server.close();
    await once(server, 'close');
  });

  it('asks one request after the other on one connection', async () => {
    for (const request of ['one', 'two']) expect(await conversation.ask(request, 200)).toBeGreaterThan(0);
  });

  it('does not measure an answer of another status', async () => {
    await expect(conversation.ask('refuse', 200)).rejects.toThrow('answered 500');
    expect(await conversation.ask('again', 200)).toBeGreaterThan(0);
  });

  it('does not wait for an answer on a connection that has ended', async () => {
    await expect(conversation.ask('leave', 200)).rejects.toThrow('answered nothing, and closed the connection');
  });
});
