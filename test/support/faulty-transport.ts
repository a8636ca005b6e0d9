import { type HttpResponse, type Transport, TransportError } from '../../src/http/transport.ts';

/** What happens to a request: whether the service carries it out, and what the client gets instead of the answer. */
interface NetworkFault {
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
const alwaysPossible: readonly (HttpResponse | TransportError)[] = [
  reset,
  new TransportError('interrupted', true, 'other side closed'),
  late,
  new TransportError('malformed', true, 'Invalid HTTP'),
  status(408),
  status(500),
  status(502),
  status(503),
  status(503, { 'retry-after': '1' }),
  status(504),
  status(429),
  status(429, { 'retry-after': '2' }),
  // A page, text or document of something else that answers, such as a captive portal.
  status(200),
  { ...status(200, { 'content-type': 'text/plain' }), text: 'Log in to the network' },
  { ...status(200), text: '' },
  { status: 204, headers: {}, text: '' },
  foreignJson({ status: 'login required', url: 'https://portal.example.com' }),
  foreignJson({ message: 'Log in to the network' }),
  foreignJson([]),
  { status: 200, headers: { 'content-type': 'application/json' }, text: '[{"login":' },
];

/** Every kind of fault, before and after the request is carried out. */
const networkFaults: readonly NetworkFault[] = [
  ...[true, false].flatMap((isCarriedOut) =>
    alwaysPossible.map((outcome) => ({ isCarriedOut, outcome: () => outcome })),
  ),
  {
    isCarriedOut: false,
    outcome: () => new TransportError('unreachable', false, 'connect ECONNREFUSED'),
  },
  {
    isCarriedOut: false,
    outcome: () => new TransportError('interrupted', false, 'write EPIPE', { sentInPart: true }),
  },
  {
    isCarriedOut: true,
    outcome: (answer: HttpResponse | undefined): HttpResponse | TransportError =>
      answer === undefined ? reset : { ...answer, text: answer.text.slice(0, Math.ceil(answer.text.length / 2)) },
  },
];

interface FaultSettings {
  /** From 0 to 1. */
  readonly rate: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** A transport that fails some requests, in every way that a network can. */
export function faultyTransport(inner: Transport, { rate, random }: FaultSettings): Transport {
  return {
    async send(request, signal) {
      const fault = random() < rate ? networkFaults[Math.floor(random() * networkFaults.length)] : undefined;
      if (fault === undefined) return inner.send(request, signal);
      const outcome = fault.outcome(fault.isCarriedOut ? await inner.send(request, signal) : undefined);
      if (outcome instanceof TransportError) throw outcome;
      return outcome;
    },
    preload: (url) => inner.preload(url),
    close: () => inner.close(),
  };
}
