import { createServer } from 'node:http';

/*
 * The least that an HTTP service in Node.js can do, which the real service is compared with: it reads a request and responds
 * with a text of the given length. Prints `listening on <port>`, and exits when its standard input ends.
 */

const answer = 'x'.repeat(Number(process.argv[2]));
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': answer.length }).end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`listening on ${address.port}`);
});
process.stdin.resume().once('end', () => {
  process.exit();
});
