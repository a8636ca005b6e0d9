/** The first part of a check's name; the flow follows. */
export const checkNamePrefix = 'compliance-service/';

export interface GithubRepository {
  readonly id: string;
  /** `owner/name`, as the latest event says. */
  readonly name: string;
}

export interface CheckSubject {
  readonly kind: 'check';
  readonly sha: string;
  readonly flow: string;
}

/** Whether a run may deploy a commit to an environment, which has GitHub's name here. */
export interface DeploymentSubject {
  readonly kind: 'deployment';
  readonly sha: string;
  readonly runId: number;
  readonly environment: string;
  /** GitHub's number of the deployment. It grows with each request. */
  readonly deploymentId: number;
}

/** Something that GitHub waits for. */
export type AnswerSubject = CheckSubject | DeploymentSubject;

/** What GitHub waits for, and what was sent to it. Times are in Unix seconds. */
export interface Answer {
  readonly org: string;
  /** Identifies the answer within the organization. */
  readonly number: number;
  readonly installationId: number;
  readonly repository: GithubRepository;
  readonly subject: AnswerSubject;
  readonly requestedAt: number;
  /** Grows if somebody asks for the check again, or the run for a new deployment: everything is then sent again. */
  readonly requests: number;
  /** The number of failed attempts since the last success. */
  readonly attempts: number;
  /** GitHub's number of the check; undefined if none was created. */
  readonly checkRunId: number | undefined;
  /** What was sent last, as the sender wrote it; undefined if nothing was, or if GitHub asked again since. */
  readonly sent: string | undefined;
}

export type AnswerReference = Pick<Answer, 'org' | 'number'>;

export interface SentAnswer {
  readonly sent: string;
  readonly checkRunId?: number | undefined;
  /** When a deployment was decided. It is then not judged again, unless GitHub asks for a new one. */
  readonly answeredAt?: number | undefined;
  /** When to judge it again although nothing changed; undefined for never. */
  readonly dueAt?: number | undefined;
}
