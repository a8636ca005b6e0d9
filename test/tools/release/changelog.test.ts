import { describe, expect, it } from '@jest/globals';
import { changelogSection, unwrap } from '../../../tools/release/changelog.ts';

const changelog = [
  '# Changelog',
  '',
  '## [Unreleased]',
  '',
  '## [1.2.0] - 2026-03-04',
  '',
  '### Added',
  '',
  '- One.',
  '',
  '## [1.1.0] - 2026-02-03',
  '## [1.0.0] - soon',
  '',
  '- First.',
  '',
].join('\n');

describe('changelogSection', () => {
  it('returns the text between the heading of the version and the next, and its line', () => {
    expect(changelogSection(changelog, '1.2.0')).toEqual({ text: '### Added\n\n- One.', line: 7 });
  });

  it.each(['1.2.1', '1.2', '1x2.0', 'Unreleased', '1.0.0'])(
    'throws if there is no heading of %s with a date',
    (version) => {
      expect(() => changelogSection(changelog, version)).toThrow(
        `CHANGELOG.md has no heading "## [${version}] - YYYY-MM-DD". Move the changes below "## [Unreleased]" under one.`,
      );
    },
  );

  it('throws if the section is empty', () => {
    expect(() => changelogSection(changelog, '1.1.0')).toThrow('The section of 1.1.0 in CHANGELOG.md is empty.');
  });
});

describe('unwrap', () => {
  it('joins the lines of paragraphs and list items, and no others', () => {
    const unchanged = [
      '1. Another.',
      '### Heading',
      'Text.',
      '',
      '| a | b |',
      '| - | - |',
      '',
      '```sh',
      'one',
      'two',
      '```',
      'After.',
    ];
    const wrapped = [
      'A paragraph',
      'on two lines.',
      '',
      '- An item',
      '  on two lines.',
      '  - Inside',
      '    it.',
      ...unchanged,
    ];
    expect(unwrap(wrapped.join('\n')).split('\n')).toEqual([
      'A paragraph on two lines.',
      '',
      '- An item on two lines.',
      '  - Inside it.',
      ...unchanged,
    ]);
  });
});
