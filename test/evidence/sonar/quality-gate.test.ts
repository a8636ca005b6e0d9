import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sonarResults } from '../../../src/contract/attestations/sonar.ts';
import { conforms } from '../../../src/contract/check.ts';
import { parseGate } from '../../../src/evidence/sonar/quality-gate.ts';

describe('a quality gate', () => {
  it('has its conditions in the words of the interface, without what Sonar leaves out', () => {
    const body = {
      projectStatus: {
        status: 'ERROR',
        conditions: [
          {
            status: 'ERROR',
            metricKey: 'new_coverage',
            comparator: 'LT',
            errorThreshold: '85',
            actualValue: '82.50562381034781',
          },
          { status: 'OK', metricKey: 'reopened_issues', comparator: 'GT', actualValue: '0' },
          { status: 'OK', metricKey: 'bugs', actualValue: 3 },
        ],
      },
    };
    expect(parseGate(body)).toEqual({
      status: 'ERROR',
      conditions: [
        { metric: 'new_coverage', operator: 'LT', errorThreshold: '85', status: 'ERROR', value: '82.50562381034781' },
        { metric: 'reopened_issues', operator: 'GT', status: 'OK', value: '0' },
        { metric: 'bugs', status: 'OK', value: '3' },
      ],
    });
  });

  it('without a new-code period has an empty list of conditions', () => {
    expect(parseGate({ projectStatus: { status: 'NONE', conditions: [], periods: [] } })).toEqual({
      status: 'NONE',
      conditions: [],
    });
    expect(parseGate({ projectStatus: { status: 'NONE' } })).toEqual({ status: 'NONE', conditions: [] });
  });

  it('keeps a status that Sonar does not document', () => {
    expect(parseGate({ projectStatus: { status: 'NOVEL', conditions: [] } })?.status).toBe('NOVEL');
  });

  it('is either in the form of an attestation or undefined, whatever the server sends', () => {
    const text = fc.oneof(fc.string(), fc.jsonValue());
    const condition = fc.record(
      { status: text, metricKey: text, comparator: text, errorThreshold: text, actualValue: text },
      { requiredKeys: [] },
    );
    const status = fc.record({ status: text, conditions: fc.oneof(fc.array(condition), fc.jsonValue()) });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ projectStatus: status })), (body) => {
        const gate = parseGate(body);
        const holds = gate === undefined || conforms(sonarResults.properties.qualityGate, gate);
        expect(holds).toBe(true);
      }),
    );
  });
});
