import { describe, expect, it } from '@jest/globals';
import { type FileTemplate, keepRequirements } from '../../../src/service/template/template.ts';

const unit = { name: 'unit', type: 'junit' };
const scan = { name: 'scan', type: 'snyk', require: '${{ evidence.low == 0 }}' };
const file = (attestations: FileTemplate['attestations'], artifacts: FileTemplate['artifacts'] = []): FileTemplate => ({
  ...{ text: 'version: 1', attestations, artifacts },
});

describe('a template of a trail', () => {
  it('replaces that of the flow, except for entries that require more than a type', () => {
    const own = file(
      [
        { name: 'scan', type: '*' },
        { name: 'own', type: 'generic' },
      ],
      [{ name: 'web', attestations: [] }],
    );
    const ofFlow = file(
      [unit, scan],
      [
        { name: 'web', attestations: [unit, scan] },
        { name: 'api', attestations: [scan] },
        { name: 'docs', attestations: [unit] },
      ],
    );
    expect(keepRequirements(own, ofFlow)).toEqual(
      file(
        [{ name: 'own', type: 'generic' }, scan],
        [
          { name: 'web', attestations: [scan] },
          { name: 'api', attestations: [scan] },
        ],
      ),
    );
  });

  it('replaces a list, and a file without such entries', () => {
    const own = file([]);
    expect(keepRequirements(own, ['artifact', 'scan'])).toEqual(own);
    expect(keepRequirements(own, file([unit], [{ name: 'web', attestations: [unit] }]))).toEqual(own);
  });
});
