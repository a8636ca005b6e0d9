import { gatherSonar, type SonarEvidence, type SonarRequest } from '../../src/evidence/sonar/gather-sonar.ts';
import type { CallContext } from '../../src/http/send-with-retry.ts';
import type { Transport } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import { type InstantClock, instantClock } from './clock.ts';
import { type FakeSonar, type SonarState, startSonarServer } from './fake-sonar.ts';
import { type CollectingLog, collectingLog } from './log.ts';
import { analysedCommit, committedAt, finishedAnalysis, reportText } from './sonar-analysis.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from './temporary-workspace.ts';

/** A job after its scan: a workspace, a Sonar server with the analysis, and a clock on which waiting takes no time. */
export interface SonarJob {
  readonly workspace: TemporaryWorkspace;
  readonly sonar: FakeSonar;
  readonly clock: InstantClock;
  readonly log: CollectingLog;
  readonly context: CallContext;
  /** Writes the scanner's report where the command-line scanner does, with these changes. */
  report(other?: Readonly<Record<string, string | undefined>>): Promise<string>;
  gather(other?: Partial<SonarRequest>): Promise<SonarEvidence>;
  close(): Promise<void>;
}

/** Opens a job. The test must close it. */
export async function openSonarJob(
  options: { contextPath?: string; state?: Partial<SonarState>; context?: Partial<CallContext> } = {},
): Promise<SonarJob> {
  const workspace = await temporaryWorkspace();
  const sonar = await startSonarServer({
    ...(options.contextPath === undefined ? {} : { contextPath: options.contextPath }),
    state: { ...finishedAnalysis(), ...options.state },
  });
  let underWay = 0;
  const clock = instantClock({ isPaused: () => underWay > 0 });
  const log = collectingLog();
  const transport = options.context?.transport ?? createTransport({});
  const send: Transport['send'] = async (request, signal) => {
    underWay += 1;
    try {
      return await transport.send(request, signal);
    } finally {
      underWay -= 1;
    }
  };
  const context: CallContext = {
    clock,
    log,
    random: () => 0,
    retryPolicy: { requestTimeout: 60_000, retries: 3 },
    ...options.context,
    transport: { ...transport, send },
  };
  return {
    workspace,
    sonar,
    clock,
    log,
    context,
    report: (other) => workspace.write('.scannerwork/report-task.txt', reportText(sonar.url, other)),
    gather: (other) =>
      gatherSonar(
        {
          token: 'squ_user_token_0123',
          timeoutMilliseconds: 300_000,
          workspace: workspace.path,
          expected: { sha: analysedCommit, committedAt },
          unverifiedRevision: 'warn',
          event: { name: 'push', sha: analysedCommit, isCommitGiven: false },
          ...other,
        },
        context,
      ),
    async close() {
      await transport.close();
      await sonar.close();
      await workspace.remove();
    },
  };
}
