import { describe, expect, it } from '@jest/globals';
import { copy } from '../../../src/service/commands/copy.ts';

const url = 'postgres://user@db.example.com/compliance';
const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

describe('the options of copy', () => {
  it('come from flags, else from the environment', () => {
    const copied = { dataFolder: 'here', target: { url }, leaveOutDamaged: false };
    expect(copy.parse(['--from', 'here', '--to', url], {})).toEqual(copied);
    const variables = { COMPLIANCE_SERVICE_DATA: 'here', COMPLIANCE_SERVICE_DATABASE: url };
    expect(copy.parse([], variables)).toEqual(copied);
    expect(copy.parse(['--from', 'there', '--leave-out-damaged'], variables)).toEqual({
      ...copied,
      dataFolder: 'there',
      leaveOutDamaged: true,
    });
  });

  it('can name an object storage for the attachments', () => {
    const words = ['--from', 'here', '--to', url, '--attachments', 's3://bucket/prefix?region=eu-central-1'];
    expect(copy.parse(words, credentials)).toMatchObject({
      target: { url, attachments: { bucket: 'bucket', prefix: 'prefix' } },
    });
  });

  it.each([
    [[], /^copy requires --from[^]*Usage: npm run service -- copy/u],
    [['--from', 'here'], /^copy requires --to[^]*Usage:/u],
    [['--from', 'here', '--to', 'mysql://here/db'], /^--to is not the URL of a PostgreSQL database/u],
    [['--from', 'here', '--attachments', 's3://bucket?region=x'], /^--attachments requires --to postgres:/u],
    [['--from', 'here', '--to', url, 'there'], /Unexpected argument 'there'[^]*Usage:/u],
    [['--database', url], /Unknown option '--database'[^]*Usage:/u],
  ])('are rejected in %j, with the remedy', (words, message) => {
    expect(() => copy.parse(words, credentials)).toThrow(message);
  });

  it('include the help', () => {
    expect(copy.parse(['-h'], {})).toBeUndefined();
  });
});
