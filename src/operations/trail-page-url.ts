import type { OperationContext } from './operation.ts';

/** The URL of a trail's page (source: the links of the public client). */
export function trailPageUrl(
  { client, org }: Pick<OperationContext, 'client' | 'org'>,
  flow: string,
  trail: string,
): string {
  return client.pageUrl(org, 'flows', flow, 'trails', trail);
}
