import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { yamlLimits } from '../../../src/service/platform/yaml/read-yaml.ts';
import { type PolicyReading, readPolicy } from '../../../src/service/policy/read-policy.ts';

const read = (text: string): PolicyReading => readPolicy(Buffer.from(text));
const schema = '_schema: https://example.com/schemas/policy/environment/v1';

describe('a policy file', () => {
  it('may contain every kind of rule', () => {
    const text = `${schema}
artifacts:
  provenance:
    required: true
    exceptions:
      - if: \${{ matches(artifact.name, "^datadog:") }}
  trail-compliance:
    required: false
  attestations:
    - {type: sonar, name: quality, if: '\${{ flow.name == "web" }}', must_be_compliant: false}
    - {type: 'custom:my.own-type'}
    - {type: '*', name: '*'}
`;
    expect(read(text)).toMatchObject({
      text,
      rules: {
        artifacts: {
          provenance: { required: true, exceptions: [{ if: '${{ matches(artifact.name, "^datadog:") }}' }] },
          attestations: [{ type: 'sonar', name: 'quality' }, { type: 'custom:my.own-type' }, { type: '*' }],
        },
      },
    });
  });

  it.each([
    schema,
    `${schema}\nartifacts: {}`,
    `\ufeff${schema}`,
    `# a comment\n---\n${schema}\n...\n`,
    `{"_schema": "http://localhost/v1"}`,
  ])('may be %j', (text) => {
    expect(read(text)).toHaveProperty('rules');
  });

  it('may repeat a part by an alias', () => {
    const text = `${schema}\nartifacts:\n  provenance: &all\n    required: true\n  trail-compliance: *all\n`;
    expect(read(text)).toMatchObject({ rules: { artifacts: { 'trail-compliance': { required: true } } } });
  });

  it('reports the line of every fault', () => {
    const text = `${schema}
artifacts:
  provenance:
    required: yes
    exceptions:
      - if: flow.name == "web"
      - unless: x
  attestations:
    - type: sonar
      must_be_compliant: 1
    - type: custom
`;
    expect(read(text)).toEqual({
      faults: expect.arrayContaining([
        'line 4: `artifacts.provenance.required` must be boolean',
        'line 7: `artifacts.provenance.exceptions.1.unless` is not a known field',
        'line 10: `artifacts.attestations.0.must_be_compliant` must be boolean',
        expect.stringMatching(/^line 11: `artifacts.attestations.1.type` must match/),
      ]) as unknown,
    });
    expect(read(`${schema}\nartifacts:\n  provenance:\n    exceptions:\n      - if: flow.name == "web"`)).toEqual({
      faults: ['line 5: `artifacts.provenance.exceptions.0.if` must be enclosed in `${{` and `}}`'],
    });
  });

  it('reports at most ten faults', () => {
    const reading = read(`${schema}\n${Array.from({ length: 50 }, (_, index) => `x${index}: 1`).join('\n')}`);
    expect('faults' in reading ? reading.faults : []).toHaveLength(10);
  });

  it.each([
    ['a: [', 'unexpected end'],
    ['a: &a [*a]', 'is not a known field'],
    ['? [a]\n: 1', 'complex keys'],
    [`${schema}\n__proto__: 1`, '`__proto__` is not a known field'],
    ['_schema: file:///v1', 'must be the address of a schema'],
    ['_schema: v1', 'must be the address of a schema'],
    [`${schema}\nartifacts:\n  attestations: [${'{type: sonar},'.repeat(101)}]`, 'must not have more than 100'],
    [`x: &x [1,1,1,1,1,1,1,1,1,1]\ny: [${'*x,'.repeat(101)}]`, 'alias'],
    ['a: \u0007', 'U+0007'],
  ])('cannot be %j', (text, reason) => {
    const reading = read(text);
    expect('faults' in reading ? reading.faults.join() : '').toContain(reason);
  });

  const withConditions = (conditions: readonly string[]): string =>
    [
      schema,
      'artifacts:',
      '  attestations:',
      ...conditions.map((text) => `    - {type: sonar, if: '\${{ ${text} }}'}`),
    ].join('\n');
  const faultsOf = (text: string): readonly string[] => {
    const reading = read(text);
    return 'faults' in reading ? reading.faults : [];
  };

  it.each([
    ['(', 51, ')'],
    ['not ', 51, ''],
  ])('is refused for a condition of many nested %j, with the line', (open, count, close) => {
    expect(faultsOf(withConditions([`${open.repeat(count)}true${close.repeat(count)}`]))).toEqual([
      'line 4: `artifacts.attestations.0.if` is nested deeper than 50',
    ]);
    expect(read(withConditions([`${open.repeat(count - 1)}true${close.repeat(count - 1)}`]))).toHaveProperty('rules');
  });

  it('is refused for patterns that are too large together, with the line at which they are', () => {
    const large = Array.from({ length: 10 }, () => 'matches(flow.name, "(a|b){190}")');
    expect(faultsOf(withConditions(large))).toEqual([
      expect.stringMatching(
        /^line \d+: `artifacts.attestations.\d.if` makes the patterns .* larger than 5000 together/,
      ),
    ]);
  });

  it('is refused for more than 200 conditions, with the line of the first that is too many', () => {
    const exceptions = Array.from({ length: 67 }, () => `      - if: \${{ true }}`).join('\n');
    const text = `${withConditions(Array.from({ length: 67 }, () => 'true'))}
  provenance:
    exceptions:
${exceptions}
  trail-compliance:
    exceptions:
${exceptions}`;
    expect(faultsOf(text)).toEqual([expect.stringContaining('is one of more than 200 conditions')]);
  });

  it.each([
    ['lines', '#\n'.repeat(200_001), 'line 200001: it has more than 200000 lines'],
    [
      'content',
      `x: "${'a'.repeat(yamlLimits.content)}"`,
      'line 1: it has more than 262144 characters that are not comments',
    ],
    ['values', `x: [${'1,'.repeat(yamlLimits.marks)}]`, 'line 1: it has more than 5000 values'],
    ['empty documents', '---\n'.repeat(yamlLimits.marks + 1), 'line 5001: it has more than 5000 values'],
  ])('is refused for too many %s before it is parsed', (_what, text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it('may have 10 MiB of comments', () => {
    expect(read(`${schema}\n# ${'a'.repeat(10 * 1024 * 1024 - schema.length - 3)}`)).toHaveProperty('rules');
  });

  it('is rejected with short messages, however long its keys are', () => {
    const long = 'a.'.repeat(100_000);
    expect(JSON.stringify(read(`${long}: 1`)).length).toBeLessThan(1000);
    expect(JSON.stringify(read(`x: &${long} 1\ny: *b${long}`)).length).toBeLessThan(1000);
  });

  it('is parsed quickly, even if its aliases would make it huge', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    expect(read(`l0: &l0 [x]\n${levels.join('\n')}`)).toHaveProperty('faults');
  });

  it('is accepted or rejected, whatever its bytes', () => {
    const line = fc.constantFrom(
      schema,
      'artifacts:',
      '  provenance:',
      '    required: true',
      '- a',
      'a: &a',
      '*a',
      '? b',
      '%YAML 1.2',
      '---',
      '"',
      '|',
      '  x: {',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.array(line, { maxLength: 8 }).map((lines) => Buffer.from(lines.join('\n'))),
        ),
        (bytes) => {
          const reading = readPolicy(bytes);
          expect('rules' in reading ? reading.text : reading.faults[0]).not.toBe('');
        },
      ),
      { numRuns: 1000 },
    );
  });
});
