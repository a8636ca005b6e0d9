/** The trails of a flow by commit: the one that they were begun for, else their name. */
export const trailsByCommit = `
CREATE INDEX trails_by_commit ON trails (org, flow, coalesce(report ->> '$.git_commit_info.sha1', name));
`;
