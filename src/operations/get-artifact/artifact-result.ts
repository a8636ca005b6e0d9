import { toResponseEntry } from '../identify-artifacts.ts';
import { type JudgedSubject, type JudgedSubjects, toJudgementResult } from '../judged-subjects.ts';
import type { OperationResult } from '../operation.ts';
import { pollFacts, timeoutNotice } from '../polling.ts';
import { fact } from '../report.ts';
import { artifactCommit, artifactFacts } from './artifact-facts.ts';
import { createEvidence } from './evidence-table.ts';
import type { ArtifactAnswer } from './lookup.ts';

/**
 * The result of the operation: the worst artifact decides, and the report has all of them.
 *
 * @throws Failure if there is only one artifact and it could not be looked up
 */
export function createArtifactResult(judgement: JudgedSubjects<ArtifactAnswer>, flow: string): OperationResult {
  const { subjects, only, timing } = judgement;
  const artifact = only?.settled.value?.artifact;
  const { reasons, ...result } = toJudgementResult(judgement, `in flow ${flow}`, artifact?.state_info);
  const evidence = createEvidence(subjects);
  return {
    ...result,
    response: artifact ?? (only === undefined ? subjects.map(toEntry) : toEntry(only)),
    fingerprint: subjects.map(({ digits }) => digits).join('\n'),
    htmlUrl: artifact?.html_url,
    commits: collectCommits(subjects),
    report: {
      subject: only?.title ?? `${subjects.length} artifacts of flow ${flow}`,
      reasons,
      evidence: { ...evidence, notes: [...evidence.notes, ...timeoutNotice(timing)] },
      facts: [...(artifact === undefined ? fact('Flow', flow) : artifactFacts(artifact, flow)), ...pollFacts(timing)],
      ...(artifact === undefined
        ? { copies: subjects.map(({ file = '', digits }) => ({ label: file, text: digits })) }
        : {}),
    },
  };
}

function toEntry(subject: JudgedSubject<ArtifactAnswer>): Readonly<Record<string, unknown>> {
  return toResponseEntry(subject, { artifact: subject.settled.value?.artifact });
}

/** The commits of the artifacts, once each; undefined if the service names none. */
function collectCommits(subjects: readonly JudgedSubject<ArtifactAnswer>[]): readonly string[] | undefined {
  const commits = subjects.flatMap(({ settled }) => artifactCommit(settled.value?.artifact)?.sha ?? []);
  return commits.length === 0 ? undefined : [...new Set(commits)];
}
