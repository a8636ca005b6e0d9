/** Finds artifacts by the commit and the repository that they were built from, and by the branch. */
export const artifactLists = `
CREATE INDEX artifacts_by_commit ON artifacts (org, report ->> '$.git_commit', flow, sequence);
CREATE INDEX artifacts_by_branch ON artifacts (org, flow, report ->> '$.git_commit_info.branch', sequence);
CREATE INDEX artifacts_by_repository ON artifacts (org, report ->> '$.repo_info.name')
  WHERE report ->> '$.repo_info.name' IS NOT NULL;
`;
