import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { slackMessage } from '../../../src/service/delivery/slack.ts';

describe('a message for Slack', () => {
  it('mentions nobody and hides no link, whatever an artifact is called', () => {
    expect(slackMessage('a <!channel> & <https://x|y>')).toEqual({
      text: 'a &lt;!channel&gt; &amp; &lt;https://x|y&gt;',
      mrkdwn: false,
    });
    fc.assert(
      fc.property(fc.string(), (words) => {
        expect(slackMessage(words).text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/u);
      }),
    );
  });
});
