/** The special characters of Slack's formatting. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Words that mention everyone in services that accept Slack's messages (Mattermost, Rocket.Chat) and search plain text
 * for them.
 */
const mentions = /@(?=channel|here|everyone|all\b)/giu;

export interface SlackMessage {
  readonly text: string;
  readonly mrkdwn: false;
  readonly parse: 'none';
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/**
 * Creates a message for an incoming webhook of Slack. Markup, mentions and link previews are disabled, and special
 * characters are escaped, so that no name can mention a channel or hide a link.
 */
export function renderSlackMessage(words: string): SlackMessage {
  const text = words
    .replace(/[&<>]/gu, (character) => entities[character] ?? character)
    // A word joiner, which is invisible, breaks the mention.
    .replace(mentions, '@\u2060');
  return { text, mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };
}
