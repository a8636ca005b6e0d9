import type { Fault } from './faulty-server.ts';

type Headers = Readonly<Record<string, string>>;

function afterTheRequest(play: Fault['play']): Fault {
  return { early: false, play };
}

/** Responds correctly, with a status and JSON. */
export function answers(status: number, body: unknown, headers: Headers = {}): Fault {
  return answersText(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

/** Responds with a text. */
export function answersText(status: number, text: string, headers: Headers = {}): Fault {
  return afterTheRequest((response) => {
    response.writeHead(status, headers);
    response.end(text);
  });
}

/** Reads the request and resets the connection. */
export const resetsBeforeTheAnswer: Fault = afterTheRequest((_response, socket) => {
  socket.resetAndDestroy();
});

/** Reads the request and closes the connection properly. */
export const closesBeforeTheAnswer: Fault = afterTheRequest((_response, socket) => {
  socket.end();
});

/** Announces 1000 bytes of JSON, sends eight, and resets the connection. */
export const resetsWithinTheAnswer: Fault = afterTheRequest((response, socket) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"half":', () => {
    socket.resetAndDestroy();
  });
});

/** Announces 1000 bytes of JSON, sends eight, and closes the connection properly. */
export const truncatesTheAnswer: Fault = afterTheRequest((response, socket) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"half":', () => {
    socket.end();
  });
});

/** Reads the request and never responds. */
export const neverAnswers: Fault = afterTheRequest(() => undefined);

/** Sends the headers and the beginning of the body, then nothing more. */
export const neverEndsTheAnswer: Fault = afterTheRequest((response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"half":');
});

/** Responds with something other than HTTP. */
export const speaksNoHttp: Fault = afterTheRequest((_response, socket) => {
  socket.end('SSH-2.0-OpenSSH_9.7\r\n\r\n');
});

/** Sends headers that are too large for any client. */
export const sendsHugeHeaders: Fault = afterTheRequest((_response, socket) => {
  socket.end(`HTTP/1.1 200 OK\r\nx-padding: ${'x'.repeat(256 * 1024)}\r\n\r\n`);
});

/** Sends an endless body as fast as it is read. */
export const answersWithoutEnd: Fault = afterTheRequest((response, socket) => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const fill = (): void => {
    while (!socket.destroyed && response.write(chunk));
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.on('drain', fill);
  fill();
});

/** Responds during the upload, reads no more of it, and closes the connection. */
export function answersEarly(status: number, body: unknown): Fault {
  return {
    early: true,
    play(response) {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(body));
    },
  };
}

/** Reads the headers but not the body. */
export const readsNoBody: Fault = { early: true, play: () => undefined };

/** Reads the headers and resets the connection during the upload. */
export const resetsDuringTheUpload: Fault = {
  early: true,
  play(_response, socket) {
    socket.resetAndDestroy();
  },
};
