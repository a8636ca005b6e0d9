import type { DocumentNode } from './document-node.ts';
import type { Findings } from './findings.ts';
import { imageDigest } from './image-digests.ts';

export const azureCommand = 'az webapp list --resource-group GROUP';

/**
 * Reads web and function apps (Azure's documentation, "az webapp list"). The only digest that Azure shows is that of an
 * image which was deployed by its digest. When the app started is not shown, so the time of its last change stands for
 * that.
 */
export function readApps(documents: readonly DocumentNode[], found: Findings): void {
  for (const app of documents.flatMap((document) => document.listOrItself())) {
    const name = app.at('name').text();
    const state = app.at('state').text();
    if (state.toLowerCase() !== 'running') {
      found.addNotRunning(state);
      continue;
    }
    const version = app.at('siteConfig').at('linuxFxVersion').textOrEmpty();
    const [, image = ''] = /^DOCKER\|(.+)$/isu.exec(version) ?? [];
    const digest = imageDigest(image);
    if (digest === undefined) {
      found.withoutDigest.push(version === '' ? name : `${name} (${version})`);
      continue;
    }
    const kind = app.at('kind').textOrEmpty();
    found.artifacts.push({
      app_name: name,
      ...(kind === '' ? {} : { app_kind: kind }),
      digests: { [image]: digest },
      creationTimestamp: app.at('lastModifiedTimeUtc').seconds(),
    });
  }
}
