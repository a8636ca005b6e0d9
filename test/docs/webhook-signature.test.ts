import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { signMessage } from '../../src/service/notification/webhook-secret.ts';
import { fencesOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const fences = fencesOf(readText('docs/notifications.md')).filter(({ heading }) => heading === 'Signatures');
const exampleIn = (language: string): string => fences.find((fence) => fence.language === language)?.text ?? '';

/** Reads cases of [headers, body, secret, now] and prints which of them the example takes for genuine. */
const programs: Readonly<Record<string, readonly [command: string, ...words: string[]]>> = {
  js: [
    process.execPath,
    '--input-type=module',
    '-e',
    `${exampleIn('js')}
const cases = JSON.parse(process.argv[1]);
console.log(JSON.stringify(cases.map(([headers, body, secret, now]) => isGenuine(headers, Buffer.from(body), secret, now))));`,
  ],
  python: [
    'python3',
    '-c',
    `${exampleIn('python')}
import json, sys
print(json.dumps([is_genuine(h, b.encode(), s, n) for h, b, s, n, _ in json.loads(sys.argv[1])]))`,
  ],
};
const hasPython = spawnSync('python3', ['--version']).status === 0;
const languages = ['js', ...(hasPython ? ['python'] : [])];

describe('the example that verifies a signature', () => {
  const [secret, old, other] = ['a', 'b', 'c'].map((letter) => `whsec_${letter.repeat(32)}`) as [
    string,
    string,
    string,
  ];
  const body = '{"environment":"prod","name":"grün"}';
  const message = { id: 'abc', timestamp: 1_800_000_000, body };
  const secrets = [
    { secret, createdAt: 1 },
    { secret: old, createdAt: 0, expiresAt: 1_800_000_100 },
  ];
  const headers = {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signMessage(message, secrets),
  };

  it.each(languages)('in %s accepts genuine messages, and no others', (language) => {
    const now = message.timestamp;
    const cases: readonly (readonly [unknown, string, string, number, boolean])[] = [
      [headers, body, secret, now, true],
      [headers, body, old, now, true],
      [headers, body, secret, now + 300, true],
      [headers, body, secret, now - 300, true],
      [headers, body, secret, now + 301, false],
      [headers, body, secret, now - 301, false],
      [headers, body, other, now, false],
      [headers, body.replace('prod', 'test'), secret, now, false],
      [{ ...headers, 'webhook-id': 'abd' }, body, secret, now, false],
      [{ ...headers, 'webhook-timestamp': String(now + 1) }, body, secret, now, false],
      [{ ...headers, 'webhook-signature': 'v1,' }, body, secret, now, false],
      [{ ...headers, 'webhook-signature': '' }, body, secret, now, false],
    ];
    const [command = '', ...words] = programs[language] ?? [];
    const { stdout, stderr } = spawnSync(command, [...words, JSON.stringify(cases)], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(cases.map(([, , , , genuine]) => genuine));
  });
});
