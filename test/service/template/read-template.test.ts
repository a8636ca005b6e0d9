import { describe, expect, it } from '@jest/globals';
import { readTemplate } from '../../../src/service/template/read-template.ts';

const read = (text: string): ReturnType<typeof readTemplate> => readTemplate(Buffer.from(text));

describe('reading a template file', () => {
  it('returns what it requires of the trail and of each artifact', () => {
    const text = [
      'version: 1',
      'trail:',
      '  attestations:',
      '    - {name: ticket, type: jira}',
      '  artifacts:',
      '    - name: web',
      '      attestations:',
      '        - {name: unit, type: junit, require: "${{ evidence.tests > 9 }}"}',
      "        - {name: any, type: '*'}",
      '        - {name: scan, type: "custom:zap.scan"}',
      '    - name: api',
    ].join('\n');
    expect(read(text)).toEqual({
      template: {
        text,
        attestations: [{ name: 'ticket', type: 'jira' }],
        artifacts: [
          {
            name: 'web',
            attestations: [
              { name: 'unit', type: 'junit', require: '${{ evidence.tests > 9 }}' },
              { name: 'any', type: '*' },
              { name: 'scan', type: 'custom:zap.scan' },
            ],
          },
          { name: 'api', attestations: [] },
        ],
      },
    });
  });

  it('accepts a template that requires nothing', () => {
    expect(read('version: 1')).toEqual({ template: { text: 'version: 1', attestations: [], artifacts: [] } });
  });

  it.each([
    ['version: 2', 'line 1: `version`'],
    ['version: 1\ntrail:\n  attestation: []', 'line 3: `trail.attestation`'],
    ['version: 1\ntrail:\n  attestations:\n    - name: unit\n', 'line 4: `trail.attestations.0.type`'],
    [
      'version: 1\ntrail:\n  attestations:\n    - name: unit\n      type: unit-test\n',
      'line 5: `trail.attestations.0.type` must be sonar, generic, junit, pull_request, snyk, jira, sbom, decision, * or custom:NAME; it is unit-test',
    ],
    ['version: 1\ntrail:\n  artifacts: [{name: a b}]', 'line 3: `trail.artifacts.0.name`'],
    ['version: 1\ntrail:\n  artifacts: [{name: web}, {name: web}]', 'must be different from the names before it'],
    [
      'version: 1\ntrail:\n  attestations:\n    - name: unit\n      type: junit\n      require: ${{ tests > 0 }}\n',
      'line 6: `trail.attestations.0.require` expects a text in quotes, a number, `evidence.<fact>` at "tests"',
    ],
    ['version: [', 'line 1: '],
    ['just text', 'line 1: it must be object'],
    ['a: &a [1]\nb: *c', 'line 2: '],
  ])('names the line and the rule of %j', (text, fault) => {
    expect(read(text)).toEqual({ faults: [expect.stringContaining(fault)] });
  });

  it('rejects more names than a verdict may look at', () => {
    const names = Array.from({ length: 501 }, (_, index) => `n${index}`);
    const attestations = names.map((name) => `{name: ${name}, type: generic}`).join(', ');
    const artifacts = names.map((name) => `{name: ${name}}`).join(', ');
    const text = `version: 1\ntrail:\n  attestations: [${attestations}]\n  artifacts: [${artifacts}]`;
    expect(read(text)).toEqual({
      faults: ['line 2: `trail` must not name more than 1000 artifacts and attestations'],
    });
  });
});
