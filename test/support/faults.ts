import type { Fault } from './faulty-server.ts';

type Headers = Readonly<Record<string, string>>;

function afterTheRequest(play: Fault['play']): Fault {
  return { early: false, play };
}

/** Answers as it should: with any status, and JSON. */
export function answers(status: number, body: unknown, headers: Headers = {}): Fault {
  return answersText(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

/** Answers with any text. */
export function answersText(status: number, text: string, headers: Headers = {}): Fault {
  return afterTheRequest((response) => {
    response.writeHead(status, headers);
    response.end(text);
  });
}

/** Takes the request and resets the connection. */
export const resetsBeforeTheAnswer: Fault = afterTheRequest((_response, socket) => {
  socket.resetAndDestroy();
});

/** Takes the request and closes the connection in good manners. */
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

/** Announces 1000 bytes of JSON, sends eight, and closes the connection in good manners. */
export const truncatesTheAnswer: Fault = afterTheRequest((response, socket) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"half":', () => {
    socket.end();
  });
});

/** Takes the request and never says a word. */
export const neverAnswers: Fault = afterTheRequest(() => undefined);

/** Sends the headers and the beginning of the body, and then nothing more. */
export const neverEndsTheAnswer: Fault = afterTheRequest((response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"half":');
});

/** Answers with something that is not HTTP. */
export const speaksNoHttp: Fault = afterTheRequest((_response, socket) => {
  socket.end('SSH-2.0-OpenSSH_9.7\r\n\r\n');
});

/** Sends headers that are larger than any client reads. */
export const sendsHugeHeaders: Fault = afterTheRequest((_response, socket) => {
  socket.end(`HTTP/1.1 200 OK\r\nx-padding: ${'x'.repeat(256 * 1024)}\r\n\r\n`);
});

/** Sends a body without end, as fast as it is read. */
export const answersWithoutEnd: Fault = afterTheRequest((response, socket) => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const fill = (): void => {
    while (!socket.destroyed && response.write(chunk));
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.on('drain', fill);
  fill();
});

/** Answers while the upload is still running, reads no more of it, and ends the connection. */
export function answersEarly(status: number, body: unknown): Fault {
  return {
    early: true,
    play(response) {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(body));
    },
  };
}

/** Takes the headers, and reads nothing of the body. */
export const readsNoBody: Fault = { early: true, play: () => undefined };

/** Takes the headers and resets the connection while the upload is still running. */
export const resetsDuringTheUpload: Fault = {
  early: true,
  play(_response, socket) {
    socket.resetAndDestroy();
  },
};
