import { NotSent } from '../../client/dry-run.ts';
import { mayBeDeliveredLater } from '../../client/failure-kinds.ts';
import { ServiceError } from '../../client/service-error.ts';
import { conforms, violations } from '../../contract/check.ts';
import { documentSchema } from '../../contract/endpoint.ts';
import { type EvidenceEndpoint, evidenceEndpoints } from '../../contract/evidence-endpoints.ts';
import type { ReplayedEvidence } from '../../contract/replayed-evidence.ts';
import type { TSchema } from '../../contract/schema.ts';
import type { GitHubApi } from '../../evidence/github/github-api.ts';
import { fetchWorkflowRun, type WorkflowRun } from '../../evidence/github/workflow-run.ts';
import type { FoundItem } from '../../evidence/spool/find-spool-items.ts';
import { markDelivered, type SpoolItem } from '../../evidence/spool/read-spool-item.ts';
import type { SpoolManifest } from '../../evidence/spool/spool-item.ts';
import { describeError, Failure } from '../../runtime/failure.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { OperationContext } from '../operation.ts';
import { summarizeList } from '../sentences.ts';
import { claimProblem, hasReviewedCode, runProblem } from './check-origin.ts';
import type { ReplayedItem } from './replay-result.ts';

interface DeliveryOptions {
  readonly context: OperationContext;
  /** To check the runs. */
  readonly api: GitHubApi;
  /** Only items of this flow are delivered; undefined for all flows. */
  readonly flow: string | undefined;
}

type Verdict = Pick<ReplayedItem, 'state' | 'reason' | 'remedy' | 'limit'>;

/** After this many consecutive failures, the remaining items are not tried. */
const maximumFailures = 3;

/**
 * Delivers items one after the other. The step sets the address, the organization and the API key; the claims of an
 * item are checked first. An item that cannot be delivered does not stop the others.
 */
export class ItemDelivery {
  readonly #options: DeliveryOptions;
  /** The runs as GitHub describes them, by id. */
  readonly #runs = new Map<string, ReturnType<typeof fetchWorkflowRun>>();
  /** The number of consecutive items that could not be sent. */
  #failures = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** @throws the reason of the step's signal if it is cancelled */
  async deliver(found: FoundItem, item: SpoolItem): Promise<ReplayedItem> {
    const { operation, gathered_at: gatheredAt } = item.manifest;
    const about = { name: found.name, operation, gatheredAt, subject: describeSubject(item.manifest) };
    return { ...about, ...(await this.#judgeAndSend(found, item)) };
  }

  async #judgeAndSend(found: FoundItem, item: SpoolItem): Promise<Verdict> {
    const { manifest } = item;
    const { context, flow } = this.#options;
    const endpoint = evidenceEndpoints.find((candidate) => candidate.operation === manifest.operation);
    if (endpoint === undefined) {
      return refused(`is from the operation ${manifest.operation}, whose evidence cannot be kept`);
    }
    const named = manifest.parameters['flow_name'];
    if (flow !== undefined && named !== flow) return refused(`is for the flow ${named ?? '(none)'}, not for ${flow}`);
    const claim = claimProblem(manifest, found.runId, context.job, context.call.clock.now());
    if (claim !== undefined) return refused(claim);
    const run = await this.#checkRun(manifest);
    if ('state' in run) return run;
    if (this.#failures >= maximumFailures) {
      return {
        state: 'failed',
        reason: `not tried, because the service did not take ${maximumFailures} items in a row`,
      };
    }
    if (hasReviewedCode(run, context.job)) return this.#send(endpoint, found, item, 'reviewed');
    const sent = await this.#send(endpoint, found, item, 'unreviewed');
    if (sent.state !== 'delivered') return sent;
    const branch = context.job.refName ?? 'the branch of this job';
    return { ...sent, limit: `counts for no environment, because its run may not have had the code of ${branch}` };
  }

  /** The run of an item, or why the item does not fit it. */
  async #checkRun(manifest: SpoolManifest): Promise<WorkflowRun | Verdict> {
    const { run_id: runId } = manifest.run;
    const answer = await remember(this.#runs, runId, () => fetchWorkflowRun(runId, this.#options.api));
    if ('run' in answer) {
      const problem = runProblem(manifest, answer.run);
      return problem === undefined ? answer.run : refused(problem);
    }
    const { status, reason, what } = answer.refusal;
    if (status === 404) {
      return refused(
        `is from run ${runId}, which this repository does not have, or which \`github-token\` may not read (\`actions: read\`)`,
      );
    }
    const state = reason === 'external' ? 'failed' : 'refused';
    return { state, reason: `its run could not be checked at GitHub: ${what}` };
  }

  async #send(
    endpoint: EvidenceEndpoint,
    found: FoundItem,
    { manifest, file }: SpoolItem,
    replayed: ReplayedEvidence,
  ): Promise<Verdict> {
    const { client, org } = this.#options.context;
    const { document } = manifest;
    const parameters = { ...manifest.parameters, org };
    const schema = documentSchema(endpoint.body);
    if (!conforms(endpoint.parameters, parameters)) return malformed(endpoint.parameters, parameters);
    if (!conforms(schema, document)) return malformed(schema, document);
    try {
      const earlier = { key: manifest.idempotency_key, since: Date.parse(manifest.gathered_at) };
      const answer = await client.call(endpoint, omitUndefined({ parameters, document, ...earlier, file, replayed }));
      this.#failures = 0;
      await this.#mark(found);
      return { state: answer.source === 'answer' ? 'delivered' : 'on record' };
    } catch (error) {
      return this.#toVerdict(error);
    }
  }

  /** @throws the error, if it is not a failure to deliver */
  #toVerdict(error: unknown): Verdict {
    if (error instanceof NotSent) return { state: 'not sent' };
    if (!(error instanceof Failure) || this.#options.context.call.signal?.aborted === true) throw error;
    const { message: reason, remedy } = error;
    const canRetry = mayBeDeliveredLater(error);
    // If the service rejects the API key, it rejects it for every item.
    const isUnauthorized = error instanceof ServiceError && [401, 403].includes(error.facts.status);
    this.#failures = canRetry || isUnauthorized ? this.#failures + 1 : 0;
    return canRetry ? { state: 'failed', reason } : { state: 'refused', reason, remedy };
  }

  /** Without the mark, a second replay asks the service, which knows the key. */
  async #mark(found: FoundItem): Promise<void> {
    const { clock, log } = this.#options.context.call;
    try {
      await markDelivered(found, new Date(clock.now()).toISOString());
    } catch (thrown) {
      log.info(`${found.name} could not be marked as delivered: ${describeError(thrown)}`);
    }
  }
}

function refused(reason: string): Verdict {
  return { state: 'refused', reason };
}

function malformed(schema: TSchema, value: unknown): Verdict {
  const rules = violations(schema, value).map(({ field, rule }) => `${field} ${rule}`);
  return refused(`does not have the form of its operation: ${summarizeList(rules, 3)}`);
}

/**
 * The attestation, the trail or the artifact of an item. In one line, because the names are not checked yet: they must
 * not look like further lines of the log.
 */
function describeSubject({ operation, parameters, document }: SpoolManifest): string {
  const own = ['attestation_name', 'name', 'filename'].flatMap((field) => textAt(document, field) ?? []).slice(0, 1);
  const names = [...Object.values(parameters), ...own].filter((name) => name !== '');
  return `${operation} ${names.join('/')}`.replaceAll(/\p{Cc}+/gu, ' ');
}

function remember<Value>(known: Map<string, Value>, key: string, create: () => Value): Value {
  const value = known.get(key) ?? create();
  known.set(key, value);
  return value;
}
