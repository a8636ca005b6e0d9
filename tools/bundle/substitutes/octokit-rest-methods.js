// Replaces: @octokit/plugin-rest-endpoint-methods, a table of 200 kB.
// Why: GitHub's API is asked by routes (`GET /repos/{owner}/{repo}`), not by `octokit.rest`.
// Saves: no time of a step without GitHub's API, and 98 kB.
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
