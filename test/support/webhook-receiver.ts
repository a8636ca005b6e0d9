import { type FakeReply, type FakeRequest, startFakeServer } from './fake-server.ts';

type ReceiverAnswer = Exclude<FakeReply, 'cut'>;

/** A webhook on the loopback interface. */
export interface WebhookReceiver {
  /** Its path is a secret. */
  readonly url: string;
  readonly port: number;
  readonly calls: readonly FakeRequest[];
  /** The next call that was not returned yet. */
  next(): Promise<FakeRequest>;
  /** The response to calls from now on; 200 at first. */
  answerWith(answer: ReceiverAnswer): void;
  stop(): Promise<void>;
}

/** Starts a webhook. The caller must stop it. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const waiting: ((call: FakeRequest) => void)[] = [];
  let given = 0;
  let answer: ReceiverAnswer = { status: 200 };
  const hand = (): void => {
    for (let call = server.requests[given]; call !== undefined && waiting.length > 0; call = server.requests[given]) {
      given += 1;
      waiting.shift()?.(call);
    }
  };
  const server = await startFakeServer(() => {
    // The call is among the requests by then.
    hand();
    return answer === 'never' ? answer : { body: '{"ok":true}', ...answer };
  });
  const { url, port, requests: calls, close } = server;
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
