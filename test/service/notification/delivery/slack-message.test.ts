import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderSlackMessage } from '../../../../src/service/notification/delivery/slack-message.ts';

describe('a message for Slack', () => {
  it('mentions nobody and hides no link, whatever the name of an artifact', () => {
    expect(renderSlackMessage('a <!channel> & <https://x|y> @here @Channel')).toEqual({
      text: 'a &lt;!channel&gt; &amp; &lt;https://x|y&gt; @\u2060here @\u2060Channel',
      mrkdwn: false,
      parse: 'none',
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    });
    expect(renderSlackMessage('web@sha256:abc @alligator').text).toBe('web@sha256:abc @alligator');
    fc.assert(
      fc.property(fc.string(), (words) => {
        expect(renderSlackMessage(words).text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/u);
      }),
    );
  });
});
