import { describe, expect, it } from '@jest/globals';
import { readTemplate } from '../../../src/service/template/read-template.ts';
import type { FileTemplate } from '../../../src/service/template/template.ts';
import { toTemplateResponse } from '../../../src/service/template/template-response.ts';

describe('a template file that does not begin with its version', () => {
  it('is answered as one that does, with everything that it requires', () => {
    const file = `# What we require
version: 1
trail:
  attestations:
    - { name: scan, type: snyk, from: [rule:trusted-scan], require: '\${{ evidence.low == 0 }}', enforce_from: 2027-01-01 }
  artifacts:
    - name: web
      from: [rule:build, service-account:ci]
      attestations: [{ name: unit, type: junit }]
    - name: api
`;
    const read = (text: string): FileTemplate => {
      const reading = readTemplate(Buffer.from(text));
      if ('faults' in reading) throw new Error(reading.faults.join());
      return reading.template;
    };
    const template = read(file);
    const answered = toTemplateResponse(template);
    expect(answered).toMatch(/^version: 1\n/u);
    expect(read(String(answered))).toEqual({ ...template, text: answered });
  });
});
