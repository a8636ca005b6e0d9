import { artifact, artifactEvent, artifactNotFound } from './artifact.ts';
import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedFlowNotFound } from './errors.ts';
import { commitSha, fingerprint, flowName, trailName } from './names.ts';
import { pageQuery } from './paging.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { lineText } from './text-fields.ts';

/** Finds the commit that the previous artifact of a flow was built from. */
export const findLatestCommit = defineEndpoint('GET /artifacts/{org}/{flow_name}/{fingerprint}/latest_commit', {
  origin: 'observed',
  title: 'Get latest commit',
  query: strictObject({ branch: Type.Optional(lineText()) }),
  success: [
    ok(
      'The commit; null if there is no previous artifact.',
      Type.Object({ latest_commit: Type.Union([commitSha, Type.Null()]) }),
    ),
  ],
  errors: [...accessErrors, namedFlowNotFound],
});

export const listArtifactsOfCommit = defineEndpoint('GET /artifacts/{org}/{flow_name}/commit_sha/{commit_sha}', {
  origin: 'observed',
  title: 'Get artifacts by commit',
  query: strictObject({ trail: Type.Optional(trailName) }),
  success: [ok('The artifacts, the latest first.', Type.Array(artifact))],
  errors: [...accessErrors, namedFlowNotFound, artifactNotFound],
});

/** The maximum number of artifacts on a page: each of them is judged. */
const maximumArtifactPage = 100;

export const listedArtifact = Type.Object({
  fingerprint,
  filename: Type.String(),
  git_commit: commitSha,
  state: Type.String(),
  state_info: Type.String(),
  created_at: Type.String({ description: 'Unix seconds as a numeric string.' }),
  flow_name: Type.String(),
  trail_name: Type.String(),
  commit_url: Type.String(),
  build_url: Type.String(),
  html_url: Type.String(),
});

export type ListedArtifact = Static<typeof listedArtifact>;

export const repositoryMissing = {
  status: 404,
  message: "Repo '{repo}' not found",
  when: 'No artifact of the organization was reported from a repository of that name.',
} as const;

export const listArtifacts = defineEndpoint('GET /artifacts/{org}', {
  origin: 'observed',
  title: 'List artifacts',
  query: strictObject({
    flow_name: Type.Optional(flowName),
    repo_name: Type.Optional(lineText({ minLength: 1 })),
    page: pageQuery.page,
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: maximumArtifactPage, description: 'Default: 15.' })),
  }),
  success: [ok('The artifacts of the page.', Type.Array(listedArtifact))],
  errors: [...accessErrors, namedFlowNotFound, repositoryMissing],
});

/** The matches of one kind. */
const matches = Type.Object({ type: Type.String(), count: Type.Integer(), matches: Type.Array(Type.String()) });

/** An artifact in the result of a search. */
export const foundArtifact = Type.Object({
  fingerprint,
  name: Type.String(),
  flow: Type.String(),
  git_commit: commitSha,
  has_provenance: Type.Boolean(),
  commit_url: Type.String(),
  build_url: Type.String(),
  html_url: Type.String(),
  compliance_state: Type.String(),
  running_in: Type.Array(Type.String(), { description: 'The environments that it runs in.' }),
  exited_from: Type.Array(Type.String(), { description: 'The environments that it no longer runs in.' }),
  history: Type.Array(artifactEvent),
});

export type FoundArtifactEntry = Static<typeof foundArtifact>;

export const nothingMatches = {
  status: 404,
  message: "No matches for '{digits}'.",
  when: 'No fingerprint and no commit of a reported artifact begins with the digits.',
} as const;

/** Finds artifacts by the first digits of their fingerprint or commit. */
export const searchArtifacts = defineEndpoint('GET /search/{org}/sha/{digits}', {
  origin: 'observed',
  title: 'Search artifacts',
  success: [
    ok(
      'The fingerprints and commits that begin with the digits, and their artifacts.',
      Type.Object({
        resolved_to: Type.Object({
          type: Type.String({ description: '`fingerprint`, `commit` or `ambiguous`.' }),
          full_match: Type.String({ description: 'All digits; empty if several things match.' }),
          fingerprints: matches,
          commits: matches,
        }),
        artifacts: Type.Array(foundArtifact),
      }),
    ),
  ],
  errors: [...accessErrors, nothingMatches],
});
