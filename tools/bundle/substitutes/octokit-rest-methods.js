// Replaces: @octokit/plugin-rest-endpoint-methods, a table of 200 kB.
// Why: the action calls GitHub's API by routes (`GET /repos/{owner}/{repo}`), not with `octokit.rest`.
// Saves: 98 kB, and no time in a step that does not use GitHub's API.
import { leftOut } from './left-out.js';

export function restEndpointMethods() {
  return {
    rest: new Proxy(
      {},
      {
        get(_target, name) {
          throw leftOut(`octokit.rest.${String(name)}`);
        },
      },
    ),
  };
}
