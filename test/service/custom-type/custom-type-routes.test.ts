import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { maximumDefinitionBytes } from '../../../src/contract/limits.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { attestationForm, saveFlow } from '../../support/service-samples.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await saveFlow(service);
});
afterAll(() => stopWithoutErrors(service));

interface Definition {
  readonly name?: string;
  readonly rules?: readonly string[];
  readonly summary?: readonly object[] | null;
  readonly description?: string;
  readonly schema?: unknown;
}

const types = '/custom-attestation-types/acme';

function save({ name = 'person', rules, schema, ...rest }: Definition): Promise<Called> {
  const evaluator = rules === undefined ? {} : { evaluator: { content_type: 'jq', rules } };
  const content = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const file = schema === undefined ? undefined : { part: 'type_schema', name: 'schema.json', content };
  return call(service, { method: 'POST', path: types, form: attestationForm({ name, ...evaluator, ...rest }, file) });
}

const get = (path: string): Promise<Called> => call(service, { path: `${types}${path}` });

const attest = (data: unknown, change: object = {}): Promise<Called> =>
  call(service, {
    method: 'POST',
    path: '/attestations/acme/web/trail/main/custom',
    form: attestationForm({ attestation_name: 'age', type_name: 'person', attestation_data: data, ...change }),
  });

/** The record of the latest attestation. */
async function latest(): Promise<Record<string, unknown>> {
  const listed = mappingOf(await call(service, { path: '/attestations/acme/web?per_page=1' }));
  const [{ attestation_id: id }] = listed['data'] as [{ attestation_id: string }];
  const found = mappingOf(await call(service, { path: `/attestations/acme?attestation_id=${id}` }));
  const [one = {}] = found['data'] as Record<string, unknown>[];
  return one;
}

/** Judges data by a new version of a type; returns its reasons. */
async function judge(definition: Definition, data: unknown): Promise<unknown> {
  expect(await save({ name: 'judged', ...definition })).toMatchObject({ status: 201 });
  expect(await attest(data, { type_name: 'judged' })).toMatchObject({ status: 201 });
  const { is_compliant: isCompliant, reasons } = await latest();
  expect(isCompliant).toBe((reasons as unknown[]).length === 0);
  return (reasons as { value: string }[]).map(({ value }) => value);
}

describe('a custom type', () => {
  it('has versions, is listed, and can be archived and brought back', async () => {
    const schema = '{"type": "object"}';
    const summary = [{ name: 'Age', expression: '.age' }];
    expect(await save({ name: 'old', description: 'First', schema, rules: ['.age > 21'] })).toMatchObject({
      status: 201,
    });
    await save({ name: 'old', summary });
    const { body } = await get('/old');
    const by = { created_by: 'admin' };
    const times = { timestamp: expect.any(Number), ...by };
    const versions = [
      {
        version: 1,
        ...times,
        type_schema: schema,
        evaluator: { content_type: 'jq', rules: ['.age > 21'] },
        summary: null,
      },
      { version: 2, ...times, summary },
    ];
    const head = { name: 'old', description: 'First', org: 'acme', archived: false };
    const history = { ...by, created_at: expect.any(Number), last_modified_at: expect.any(Number) };
    expect(body).toEqual({ ...head, ...history, versions });
    expect((await get('/old?version=1')).body).toEqual({ ...head, versions: [versions[0]] });
    expect((await get('/old?version=one')).body).toEqual(body);
    expect((await get('')).body).toContainEqual(
      expect.objectContaining({ ...head, versions: [1, 2].map((version) => ({ version, ...times })) }),
    );
    expect(await get('/old?version=10')).toMatchObject({
      status: 404,
      body: { message: "version 10 does not exist for custom attestation type 'old'" },
    });

    const archive = { method: 'PUT', path: `${types}/old/archive` } as const;
    expect(await call(service, archive)).toMatchObject({ status: 200 });
    expect(await call(service, archive)).toMatchObject({ status: 200 });
    const archived = { status: 404, body: { message: "Custom attestation type 'old' is archived for org 'acme'" } };
    expect(await get('/old')).toMatchObject(archived);
    expect(await attest({}, { type_name: 'old' })).toMatchObject(archived);
    expect((await get('')).body).not.toContainEqual(expect.objectContaining({ name: 'old' }));
    await save({ name: 'old' });
    expect(mappingOf(await get('/old'))['versions']).toHaveLength(3);
    const events = await call(service, { path: '/organizations/acme/audit-log?per_page=2' });
    expect(events.body).toMatchObject({
      data: [
        { type: 'attestation_type_saved', subject: 'attestation type old', details: { version: '3' } },
        { type: 'attestation_type_archived', subject: 'attestation type old', details: {} },
      ],
    });
  });

  it.each(['snyk', 'jira', 'sbom', 'decision', 'generic', 'a b', ''])('is not called %j', async (name) => {
    expect(await save({ name })).toMatchObject({
      status: 400,
      body: { errors: { name: expect.anything() } },
    });
  });

  it('is refused if its schema cannot be used', async () => {
    const refuse = async (schema: unknown): Promise<unknown> => {
      const { status, body } = await save({ schema });
      return [status, (body as { errors?: { type_schema?: string } }).errors?.type_schema];
    };
    expect(await refuse('{')).toEqual([400, expect.stringContaining('JSON')]);
    expect(await refuse([])).toEqual([400, 'must be a JSON object without $async']);
    expect(await refuse({ type: 'objekt' })).toEqual([400, expect.stringContaining('data/type must be equal to one')]);
    expect(await refuse({ $ref: 'https://example.com/a.json' })).toEqual([
      400,
      expect.stringContaining("can't resolve reference https://example.com/a.json"),
    ]);
    expect(await refuse({ pattern: '(?=a)' })).toEqual([400, expect.stringContaining('error parsing regexp')]);
    expect(await refuse('{"properties":{"a":'.repeat(3000) + '{}' + '}}'.repeat(3000))).toEqual([
      400,
      expect.stringMatching(/call stack|need more than 64 MiB/u),
    ]);
    expect(await refuse({ title: 'x'.repeat(maximumDefinitionBytes) })).toEqual([
      400,
      `must have at most ${maximumDefinitionBytes} bytes`,
    ]);
  });

  it('is refused with the message of jq if an expression is wrong', async () => {
    expect(await save({ rules: ['.a', '.a\n|| 1'] })).toMatchObject({
      status: 400,
      body: {
        errors: { 'evaluator.rules.1': expect.stringMatching(/^syntax error, unexpected .* at line 2, column 2/u) },
      },
    });
    expect(await save({ summary: [{ name: 'Age', expression: 'oops' }] })).toMatchObject({
      status: 400,
      body: { errors: { 'summary.0.expression': 'oops/0 is not defined at line 1, column 1' } },
    });
  });

  it.each([
    ...['env', '$ENV', '{$ENV}', 'input', '[inputs]', 'input_filename', 'input_line_number', 'now', '0 | localtime'],
    ...['0 | strflocaltime("%H")', 'halt', 'halt_error', 'halt_error(1)', 'modulemeta', 'get_search_list'],
    ...['get_jq_origin', 'get_prog_origin', '$__prog_args', 'import "a" as a; .', 'include "a"; .'],
    ...['def f: now; f', '"\\(env.HOME)"', 'try now catch 1', 'map(env)'],
  ])('must not use what is outside of the data: %s', async (rule) => {
    const { status, body } = await save({ rules: [rule] });
    const words = /is not available in rules|\$__prog_args is not defined|unexpected (?:import|include)/u;
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ errors: { 'evaluator.rules.0': expect.stringMatching(words) } }),
    ]);
  });

  it.each([
    '.env == .now',
    '{env: 1, now: "input"} | true',
    'def now: true; now',
    'true # \\',
    '"2026" | strptime("%Y") | true',
  ])('may use the same words for other things: %s', async (rule) => {
    expect(await judge({ rules: [rule, 'true'] }, {})).toEqual([]);
  });
});

describe('custom evidence', () => {
  it('is judged once, by the version of its type that is current', async () => {
    await save({ schema: { properties: { age: { type: 'integer' } } }, rules: ['.age > 21'] });
    await attest({ age: 20 });
    const rule = 'version 1 of custom:person';
    expect(await latest()).toMatchObject({
      ...{
        attestation_type: 'custom:person',
        is_compliant: false,
        type_version: 1,
        facts: { age: 20, type_version: 1 },
      },
      reasons: [{ value: 'the rule .age > 21 gives false', limit: 'true is required', rule }],
    });
    const { attestation_id: id } = await latest();
    await save({ rules: ['.age > 18'], summary: [{ name: 'Age', expression: '.age' }] });
    expect(await latest()).toMatchObject({ attestation_id: id, is_compliant: false, type_version: 1 });
    await attest({ age: 20 });
    expect(await latest()).toMatchObject({
      ...{
        is_compliant: true,
        type_version: 2,
        summary: [{ name: 'Age', value: '20' }],
        attestation_data: { age: 20 },
      },
      status_info: 'it satisfies version 2 of custom:person',
    });
  });

  it('satisfies the templates that require its type', async () => {
    const content = 'version: 1\ntrail:\n  attestations:\n    - {name: age, type: "custom:member"}\n';
    const file = { part: 'template_file', name: 'template.yml', content };
    const form = attestationForm({ name: 'strict', description: '' }, file);
    await call(service, { method: 'PUT', path: '/flows/acme/template_file', form });
    await save({ name: 'other' });
    await save({ name: 'member' });
    const stateAfter = async (type: string): Promise<unknown> => {
      const document = { attestation_name: 'age', type_name: type, attestation_data: { age: 30 } };
      const path = '/attestations/acme/strict/trail/main/custom';
      expect((await call(service, { method: 'POST', path, form: attestationForm(document) })).status).toBe(201);
      return mappingOf(await call(service, { path: '/trails/acme/strict/main' }))['compliance_state'];
    };
    expect(await stateAfter('other')).toBe('INCOMPLETE');
    expect(await stateAfter('member')).toBe('COMPLIANT');
  });

  it('of a type that does not exist is refused', async () => {
    expect(await attest({}, { type_name: 'unknown' })).toMatchObject({
      status: 404,
      body: { message: "Custom attestation type 'unknown' does not exist for org 'acme'" },
    });
  });

  it('does not comply unless each rule gives true and nothing else', async () => {
    const rules = [
      '.a > 1',
      '.b',
      'empty',
      'true, true',
      '"true"',
      'error("no")',
      'error(null)',
      '.a.b',
      'nan',
      '.a == 1',
    ];
    expect(await judge({ rules }, { a: 1 })).toEqual([
      'the rule .a > 1 gives false',
      'the rule .b gives null',
      'the rule empty gives nothing',
      'the rule true, true gives more than one value',
      'the rule "true" gives "true"',
      'the rule error("no") fails: no',
      'the rule error(null) fails: null',
      expect.stringMatching(/^the rule \.a\.b fails: Cannot index number/u),
      'the rule nan gives null',
    ]);
    expect(await judge({ rules: ['. == 1', 'type == "number"'] }, 1)).toEqual([]);
    expect(await judge({}, null)).toEqual([]);
  });

  it('does not comply if it violates the schema, with the path', async () => {
    const properties = { age: { type: 'integer' }, name: { pattern: '^[a-z]+$' }, code: { pattern: '^[0-9]+$' } };
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', properties, required: ['age'] };
    const later = {
      ...draft7,
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ type: 'string' }],
    };
    for (const schema of [draft7, later]) {
      expect(await judge({ schema, rules: ['true'] }, { age: 1, name: 'ann', code: '7' })).toEqual([]);
      expect(await judge({ schema }, { age: '1' })).toEqual(['attestation_data/age must be integer']);
      expect(await judge({ schema }, { age: 1, name: 'A' })).toEqual([
        'attestation_data/name must match pattern "^[a-z]+$"',
      ]);
      expect(await judge({ schema }, {})).toEqual(["attestation_data must have required property 'age'"]);
    }
    expect(await judge({ schema: later }, [1])).toEqual(['attestation_data/0 must be string']);
    expect(await judge({ schema: { required: ['toString'] } }, {})).toEqual([
      "attestation_data must have required property 'toString'",
    ]);
    expect(await judge({ schema: { properties: { constructor: { type: 'string' } } } }, {})).toEqual([]);
    expect(await judge({ schema: { required: ['a\0\ud800'] } }, {})).toEqual([
      "attestation_data must have required property 'a\uFFFD\uFFFD'",
    ]);
    expect(await call(service, { path: '/trails/acme/web/main' })).toMatchObject({ status: 200 });
  });

  it.each([
    ['last(range(infinite))', 'take longer than 100 ms'],
    ['def f: f; f', 'take longer than 100 ms'],
    ['("x" * .size) | length > 0', 'need more than 64 MiB'],
  ])('does not comply if its rules exceed a limit: %s', async (rule, words) => {
    expect(await judge({ rules: [rule] }, { size: 1e9 })).toEqual([`the schema and the rules ${words}`]);
    expect(await judge({ rules: ['.a == 1'] }, { a: 1 })).toEqual([]);
  });

  it('does not comply if its schema exceeds a limit', async () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    expect(await judge({ schema: { uniqueItems: true } }, items)).toEqual([
      'the schema and the rules take longer than 100 ms',
    ]);
  });

  it('shows its data and summary on its page', async () => {
    const summary = [
      { name: 'Text', expression: '.text' },
      { name: 'Object', expression: '{a: 1}' },
      { name: 'Wrong', expression: '.text.a' },
      { name: 'Nothing', expression: 'empty' },
      { name: 'Long', expression: '"y" * 1000' },
      { name: 'NUL', expression: '[97, 0] | implode' },
    ];
    await judge({ summary }, { text: '<b>' });
    const { attestation_id: id, summary: shown } = await latest();
    expect(shown).toEqual([
      { name: 'Text', value: '<b>' },
      { name: 'Object', value: '{"a":1}' },
      { name: 'Wrong', value: expect.stringMatching(/^error: Cannot index string/u) },
      { name: 'Nothing', value: '' },
      { name: 'Long', value: `${'y'.repeat(500)}…` },
      { name: 'NUL', value: 'a\uFFFD' },
    ]);
    expect(await call(service, { path: '/trails/acme/web/main' })).toMatchObject({ status: 200 });
    const page = await call(service, {
      path: `/acme/flows/web/trails/main/attestations/${String(id)}`,
      at: service.url,
    });
    expect(page.text).toContain('&lt;b&gt;');
  });
});
