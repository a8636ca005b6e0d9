import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { successBody } from '../../src/client/response-body.ts';
import { ServiceError } from '../../src/client/service-error.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { listArtifacts } from '../../src/contract/artifact-lists.ts';
import { reportArtifact } from '../../src/contract/artifact-report.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { keysAcceptedHeader } from '../../src/contract/idempotency.ts';
import { getNotification } from '../../src/contract/notification.ts';
import { createPolicy } from '../../src/contract/policy.ts';
import type { HttpResponse } from '../../src/http/transport.ts';
import { ExternalError, Failure } from '../../src/runtime/failure.ts';

const asked = { endpoint: getArtifact, path: '/artifacts/acme/web/fingerprint/abcde', attempts: 1, answeredAt: 0 };
const artifactBody = { fingerprint: 'a'.repeat(64), state: 'COMPLIANT' };
const question = 'get-artifact: GET /artifacts/acme/web/fingerprint/abcde returned';

function json(status: number, body: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) };
}

function failureOf(answer: HttpResponse, of: Parameters<typeof successBody>[1] = asked): Failure {
  try {
    successBody(answer, of);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a success', () => {
  it('is the body in the declared form', () => {
    expect(successBody(json(200, artifactBody), asked)).toEqual(artifactBody);
    expect(successBody(json(201, 'OK'), { ...asked, endpoint: createFlow })).toBe('OK');
  });

  it('passes free-form data on as it was written, and reads declared fields as numbers', () => {
    const fields = '"user_data":{"id":12345678901234567890,"a":[1e400,-0,1.0]},"unknown":1.0';
    const text = `{"fingerprint":"${'a'.repeat(64)}","state":"COMPLIANT","created_at":1700000000.0,${fields}}`;
    const body = successBody({ status: 200, headers: { 'content-type': 'application/json' }, text }, asked);
    expect(body).toMatchObject({ state: 'COMPLIANT', created_at: 1_700_000_000 });
    expect(JSON.stringify(body)).toBe(text.replace('1700000000.0', '1700000000'));
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.compliance+json'])(
    'is JSON of the type %s',
    (type) => {
      expect(successBody(json(200, 'OK', { 'content-type': type }), { ...asked, endpoint: createFlow })).toBe('OK');
    },
  );

  it.each<[string, HttpResponse, string]>([
    ['is empty', { status: 200, headers: {}, text: '' }, 'with an empty body'],
    [
      'is an HTML page',
      { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, text: '<html>Log in</html>' },
      'with an HTML page of 19 bytes instead of JSON',
    ],
    [
      'is cut JSON',
      { status: 200, headers: { 'content-type': 'application/json' }, text: '{"half":' },
      'with a body that claims to be JSON but is not',
    ],
    ['has another form', json(200, { state: 3 }), 'fingerprint is missing; state must be string'],
    ['is another kind of value', json(200, null), 'it must be object'],
    ['has another status and does not say what decides', json(204, {}), 'fingerprint is missing'],
    [
      'holds a key twice, even one that decides nothing',
      { ...json(200, ''), text: `{"fingerprint":"${'a'.repeat(64)}","filename":"web","filen\\u0061me":"api"}` },
      'with a body that holds the key `filename` twice in one object',
    ],
    [
      'has an invalid content type',
      { status: 200, headers: { 'content-type': '<x>' }, text: 'x' },
      'a body without a media type',
    ],
  ])('is an error if it %s', (_what, answer, words) => {
    const failure = failureOf(answer);
    expect(failure).toBeInstanceOf(ExternalError);
    expect(failure.message).toContain(`${question} ${answer.status}`);
    expect(failure.message).toContain(words);
    expect(failure.remedy).toContain('`base-url`');
  });
});

describe('a success of any status', () => {
  const of = (endpoint: Endpoint): Parameters<typeof successBody>[1] => ({ ...asked, endpoint });

  it.each([200, 201, 202, 203, 206, 299])('%s is one', (status) => {
    expect(successBody(json(status, artifactBody), asked)).toEqual(artifactBody);
    expect(successBody(json(status, 'OK'), of(createFlow))).toBe('OK');
  });

  const own = { [keysAcceptedHeader]: '?1' };

  it.each<[string, HttpResponse, unknown]>([
    ['nothing', { status: 204, headers: own, text: '' }, ''],
    ['nothing of a type', { status: 200, headers: { ...own, 'content-type': 'application/json' }, text: '' }, ''],
    ['plain text', { status: 201, headers: { ...own, 'content-type': 'text/plain; charset=utf-8' }, text: 'OK' }, 'OK'],
    ['any object', json(201, { done: true }, own), { done: true }],
    ['null', json(200, null, own), null],
  ])('may be %s if only the status matters and the service says that it honours keys', (_what, answer, body) => {
    expect(successBody(answer, { ...of(createFlow), isKeyed: true })).toEqual(body);
  });

  it.each<[string, unknown]>([
    ['a text', 'created'],
    ['a message that says OK', { message: 'OK' }],
  ])('may be %s if nothing says who sent it', (_what, body) => {
    expect(successBody(json(201, body), of(createFlow))).toEqual(body);
  });

  it.each<[string, HttpResponse, string]>([
    ['another message', json(200, { message: 'Log in to the network' }), 'a JSON body that is not of the service'],
    ['another object', json(200, { status: 'OK' }), 'a JSON body that is not of the service'],
    ['a list', json(200, []), 'a JSON body that is not of the service'],
    ['null', json(200, null), 'a JSON body that is not of the service'],
    ['nothing', { status: 204, headers: {}, text: '' }, 'an empty body'],
    ['plain text', { status: 200, headers: { 'content-type': 'text/plain' }, text: 'OK' }, 'a text/plain body'],
  ])('must not be %s if nothing says who sent it', (_what, answer, words) => {
    expect(failureOf(answer, of(createFlow)).message).toContain(words);
  });

  it('must say that keys are honoured if the service is known to say so', () => {
    const asked = { ...of(createFlow), isKeyed: true };
    expect(failureOf(json(200, 'OK'), asked).message).toContain('lacks the header `accept-idempotency-key`');
    expect(successBody(json(200, artifactBody), { ...of(getArtifact), isKeyed: true })).toEqual(artifactBody);
  });

  it.each<[string, HttpResponse, Endpoint, string]>([
    [
      'a web page',
      { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>' },
      createFlow,
      'an HTML page',
    ],
    ['something unnamed', { status: 200, headers: {}, text: 'OK' }, createFlow, 'a body without a media type'],
    ['a policy without its versions', json(200, { name: 'web' }), createPolicy, 'versions is missing'],
    ['another message', json(201, { message: 'Log in' }), reportArtifact, 'message must be'],
    ['nothing', { status: 204, headers: {}, text: '' }, getArtifact, 'an empty body'],
    ['nothing', { status: 200, headers: {}, text: '' }, getNotification, 'an empty body'],
    ['a text', json(200, 'OK'), getNotification, 'it must be object'],
  ])('must not be %s', (_what, answer, endpoint, words) => {
    expect(failureOf(answer, of(endpoint)).message).toContain(words);
  });
});

describe('an error answer', () => {
  it.each<[number, 'user' | 'external', string]>([
    [400, 'user', 'Correct the inputs'],
    [401, 'user', '`api-token`'],
    [403, 'user', 'role'],
    [404, 'user', '`create-flow`'],
    [405, 'user', '`base-url`'],
    [408, 'external', '`timeout`'],
    [409, 'external', 'Try again'],
    [413, 'user', 'an attachment may have at most 10 MB (10,485,760 bytes), the report of an environment 16 MiB'],
    [418, 'user', '`base-url`'],
    [429, 'external', '`retry-for`'],
    [500, 'external', 'operators'],
    [501, 'external', 'operators'],
    [502, 'external', 'operators'],
    [503, 'external', 'operators'],
    [504, 'external', 'operators'],
  ])('%s has operation, method, path, status, the message of the service and a remedy', (status, kind, remedy) => {
    const failure = failureOf(json(status, { message: 'Flow not found' }));
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({ kind, message: `${question} ${status}: Flow not found` });
    expect(failure.remedy).toContain(remedy);
    expect(failure.remedy).toMatch(/\.$/u);
  });

  it('shows what is wrong with which field, and after how many attempts', () => {
    const errors = { flow_name: 'must match the pattern', 'query.page': 'must be 1 or more' };
    const failure = failureOf(json(400, { message: 'Input payload validation failed', errors }), {
      ...asked,
      attempts: 3,
    });
    expect(failure.message).toBe(
      [
        `${question} 400: Input payload validation failed (after 3 attempts)`,
        '  flow_name: must match the pattern',
        '  query.page: must be 1 or more',
      ].join('\n'),
    );
    expect(failure).toMatchObject({
      facts: {
        operation: 'get-artifact',
        method: 'GET',
        path: asked.path,
        status: 400,
        serviceMessage: 'Input payload validation failed',
        fieldErrors: errors,
        attempts: 3,
      },
    });
  });

  it.each([
    ['a list of words', { page: ['too small', 'no number'] }, '  page: ["too small","no number"]'],
    ['a nested object', { page: { min: 1 } }, '  page: {"min":1}'],
    ['null', null, undefined],
    ['a text', 'no page', undefined],
  ])('keeps the service’s message if the fields are %s', (_what, errors, line) => {
    const failure = failureOf(json(400, { message: 'Input payload validation failed', errors }));
    expect(failure.message.split('\n')).toEqual(
      [`${question} 400: Input payload validation failed`, line].filter((words) => words !== undefined),
    );
  });

  it.each([
    [{ 'retry-after': '300' }, 300_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:20 GMT' }, 15_000],
    [{}, undefined],
  ])('keeps the wait that the service asked for: %j', (headers, retryAfter) => {
    const failure = failureOf(json(429, { message: 'Slow down' }, headers), { ...asked, answeredAt: 5000 });
    expect(failure).toMatchObject({ facts: { retryAfter } });
  });

  it('carries the title of an endpoint that no operation is for', () => {
    const failure = failureOf(json(404, { message: 'Flow not found' }), {
      ...asked,
      endpoint: listArtifacts,
    });
    expect(failure.message).toContain('List artifacts: GET');
  });

  it.each<[string, HttpResponse, string]>([
    ['an empty body', { status: 502, headers: {}, text: '' }, '502 with an empty body'],
    ['blanks', { status: 502, headers: {}, text: ' \r\n' }, '502 with an empty body'],
    [
      'a body of plain text',
      { status: 503, headers: { 'content-type': 'text/plain' }, text: 'upstream gone' },
      '503 with a text/plain body of 13 bytes instead of JSON',
    ],
    ['JSON without a message', json(500, { error: 'x' }), '500 with a JSON body without a message'],
    ['an empty message', json(500, { message: '' }), '500 with a JSON body without a message'],
    ['a message that is no text', json(500, { message: { a: 1 } }), '500 with a JSON body without a message'],
    ['JSON that is no object', json(500, ['x']), '500 with a JSON body without a message'],
  ])('describes %s', (_what, answer, words) => {
    expect(failureOf(answer).message).toBe(`${question} ${words}`);
  });

  it('describes an HTML page and shows nothing of it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z]{30,200}$/u), (secret) => {
        const text = `<html><body>${secret}</body></html>`;
        const failure = failureOf({ status: 502, headers: { 'content-type': 'text/html' }, text });
        expect(failure.message).toBe(`${question} 502 with an HTML page of ${text.length} bytes instead of JSON`);
        expect(`${failure.stack ?? ''} ${failure.remedy}`).not.toContain(secret);
      }),
    );
  });

  it('does not parse HTML that holds JSON', () => {
    const failure = failureOf({ status: 400, headers: { 'content-type': 'text/html' }, text: '{"message":"x"}' });
    expect(failure.message).toContain('an HTML page of 15 bytes');
  });

  it('says where a redirect leads, without the path and the tickets in it', () => {
    const location = 'https://login.example.com/sso?ticket=secret-ticket';
    const failure = failureOf({ status: 302, headers: { location }, text: '' });
    expect(failure).toMatchObject({
      kind: 'user',
      message: `${question} 302 with a redirect to https://login.example.com`,
    });
    expect(failure.remedy).toContain('never redirects');
  });

  it('recognizes a redirect to a path', () => {
    expect(failureOf({ status: 307, headers: { location: '/login?x=1' }, text: '' }).message).toBe(
      `${question} 307 with a redirect`,
    );
  });

  it('has a message and a remedy, whatever the answer', () => {
    const answer = fc.record({
      status: fc.integer({ min: 200, max: 599 }),
      headers: fc.record({ 'content-type': fc.oneof(fc.constantFrom('application/json', 'text/html'), fc.string()) }),
      text: fc.oneof(fc.string(), fc.json()),
    });
    fc.assert(
      fc.property(answer, (answered) => {
        fc.pre(answered.status >= 300);
        const failure = failureOf(answered);
        expect(failure.message).toContain(`returned ${answered.status}`);
        expect(failure.remedy).toMatch(/\.$/u);
      }),
    );
  });
});
