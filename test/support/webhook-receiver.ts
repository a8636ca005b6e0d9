import type { IncomingHttpHeaders } from 'node:http';
import { serve } from '../../tools/loopback-server.ts';

/** A request to the webhook. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The response to a call: a status and headers, or never. */
export type ReceiverAnswer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | 'never';

/** A webhook on the loopback interface. */
export interface WebhookReceiver {
  /** Its path is a secret. */
  readonly url: string;
  readonly port: number;
  readonly calls: readonly ReceivedCall[];
  /** The next call that was not returned yet. */
  next(): Promise<ReceivedCall>;
  /** The response to calls from now on; 200 at first. */
  answerWith(answer: ReceiverAnswer): void;
  stop(): Promise<void>;
}

/** Starts a webhook. The caller must stop it. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  const waiting: ((call: ReceivedCall) => void)[] = [];
  let given = 0;
  let answer: ReceiverAnswer = { status: 200 };
  const hand = (): void => {
    for (let call = calls[given]; call !== undefined && waiting.length > 0; call = calls[given]) {
      given += 1;
      waiting.shift()?.(call);
    }
  };
  const { url, port, close } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      if (answer !== 'never') response.writeHead(answer.status, { ...answer.headers }).end('{"ok":true}');
      calls.push({ method, path, headers, text: Buffer.concat(chunks).toString('utf8') });
      hand();
    });
  });
  return {
    url: `${url}/services/secret`,
    port,
    calls,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        hand();
      }),
    answerWith: (next) => {
      answer = next;
    },
    stop: close,
  };
}
