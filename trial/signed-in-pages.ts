import { createServer, request } from 'node:http';

/** The pages of the trial's service, for a browser on this machine that has no key. */
export interface SignedInPages {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy on the loopback interface that adds the key of the trial to each request. */
export async function openSignedInPages(service: string, key: string): Promise<SignedInPages> {
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const forwarded = request(new URL(incoming.url ?? '/', service), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the pages have no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
