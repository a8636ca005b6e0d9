/**
 * A message for an incoming webhook of Slack. The three characters that Slack gives a meaning are escaped (Slack's
 * formatting rules), so that no name can mention a channel or hide a link, and its markup is off.
 */
export function slackMessage(words: string): { readonly text: string; readonly mrkdwn: false } {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return { text: words.replace(/[&<>]/gu, (character) => entities[character] ?? character), mrkdwn: false };
}
