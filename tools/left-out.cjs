// Takes the place of packages in the bundle that others ask for and a step never needs (tools/bundle.ts).
'use strict';

/** Of mime-types, whose table of 140 kB form-data asks for the type of a part that has none: every part that is sent has. */
exports.lookup = () => false;

/** Of Octokit's methods by name, a table of 200 kB: GitHub's API is asked by routes (`GET /repos/{owner}/{repo}`). */
exports.restEndpointMethods = () => ({});

/**
 * Of the whole of undici, which @actions/github and its HTTP client would send requests with. They send none: GitHub's API
 * is asked through `src/http`, which loads the few parts of undici that it needs.
 */
exports.fetch = () => {
  throw new Error('Requests are sent through src/http');
};

/** Made for GitHub's address, and never used: of undici, and of Node's https. */
exports.ProxyAgent = class ProxyAgent {};
exports.Agent = class Agent {};

/** Of Node's https. */
exports.request = exports.fetch;
