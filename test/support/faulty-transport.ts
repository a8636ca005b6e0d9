import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../../src/http/transport.ts';

/** What happens to a request: whether the service carries it out, and what the client gets instead of the answer. */
interface NetworkFault {
  readonly name: string;
  readonly isCarriedOut: boolean;
  readonly outcome: (answer: HttpResponse | undefined) => HttpResponse | TransportError;
}

const page = { 'content-type': 'text/html' };
const status = (code: number, headers: HttpResponse['headers'] = {}) => ({
  status: code,
  headers: { ...page, ...headers },
  text: '<html>Gateway</html>',
});
const foreignJson = (body: unknown) => ({
  ...status(200, { 'content-type': 'application/json' }),
  text: JSON.stringify(body),
});
const reset = new TransportError('interrupted', true, 'read ECONNRESET');
const late = new TransportError('timeout', true, 'no complete answer within 30 s');
const alwaysPossible: readonly (readonly [string, HttpResponse | TransportError])[] = [
  ['reset', reset],
  ['dropped', new TransportError('interrupted', true, 'other side closed')],
  ['late', late],
  ['not HTTP', new TransportError('malformed', true, 'Invalid HTTP')],
  ['408', status(408)],
  ['500', status(500)],
  ['502', status(502)],
  ['503', status(503)],
  ['503 with Retry-After', status(503, { 'retry-after': '1' })],
  ['504', status(504)],
  ['429', status(429)],
  ['429 with Retry-After', status(429, { 'retry-after': '2' })],
  ['foreign page', status(200)],
  ['foreign text', { ...status(200, { 'content-type': 'text/plain' }), text: 'Log in to the network' }],
  ['foreign empty body', { ...status(200), text: '' }],
  ['foreign 204', { status: 204, headers: {}, text: '' }],
  ['foreign object', foreignJson({ status: 'login required', url: 'https://portal.example.com' })],
  ['foreign message', foreignJson({ message: 'Log in to the network' })],
  ['foreign list', foreignJson([])],
  ['foreign cut JSON', { status: 200, headers: { 'content-type': 'application/json' }, text: '[{"login":' }],
];

/** Every kind of fault, before and after the request is carried out. */
export const networkFaults: readonly NetworkFault[] = [
  ...[true, false].flatMap((isCarriedOut) =>
    alwaysPossible.map(([name, outcome]) => ({
      name: `${name} ${isCarriedOut ? 'after' : 'before'}`,
      isCarriedOut,
      outcome: () => outcome,
    })),
  ),
  {
    name: 'refused connection',
    isCarriedOut: false,
    outcome: () => new TransportError('unreachable', false, 'connect ECONNREFUSED'),
  },
  {
    name: 'sent in part',
    isCarriedOut: false,
    outcome: () => new TransportError('interrupted', false, 'write EPIPE', { sentInPart: true }),
  },
  {
    name: 'truncated body',
    isCarriedOut: true,
    outcome: (answer: HttpResponse | undefined): HttpResponse | TransportError =>
      answer === undefined ? reset : { ...answer, text: answer.text.slice(0, Math.ceil(answer.text.length / 2)) },
  },
];

export interface FaultSettings {
  /** From 0 to 1. */
  readonly rate: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Called with the name of each fault. */
  readonly onFault?: (name: string, request: HttpRequest) => void;
}

/** A transport that fails some requests, in every way that a network can. */
export function faultyTransport(inner: Transport, { rate, random, onFault }: FaultSettings): Transport {
  return {
    async send(request, signal) {
      const fault = random() < rate ? networkFaults[Math.floor(random() * networkFaults.length)] : undefined;
      if (fault === undefined) return inner.send(request, signal);
      onFault?.(fault.name, request);
      const outcome = fault.outcome(fault.isCarriedOut ? await inner.send(request, signal) : undefined);
      if (outcome instanceof TransportError) throw outcome;
      return outcome;
    },
    preload: (url) => inner.preload(url),
    close: () => inner.close(),
  };
}
