/** Slack's formatting rules: the characters that have a meaning. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Words that mention everyone in services that take Slack's messages (Mattermost, Rocket.Chat) and look for them in plain
 * text.
 */
const mentions = /@(?=channel|here|everyone|all\b)/giu;

/** A message for an incoming webhook of Slack. */
export interface SlackMessage {
  readonly text: string;
  readonly mrkdwn: false;
  readonly parse: 'none';
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/**
 * A message for an incoming webhook of Slack. Markup, mentions and previews of links are off, and what Slack would give a
 * meaning is escaped, so that no name can mention a channel or hide a link.
 */
export function renderSlackMessage(words: string): SlackMessage {
  const text = words
    .replace(/[&<>]/gu, (character) => entities[character] ?? character)
    // A word joiner: invisible, and no mention any more.
    .replace(mentions, '@\u2060');
  return { text, mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };
}
