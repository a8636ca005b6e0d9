export { findReferences, listTexts } from './find-references.ts';
export { findGitHubIssue } from './github-issues.ts';
export { JiraIssues } from './jira-issues.ts';
