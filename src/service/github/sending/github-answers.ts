import type { WakingLoop } from '../../platform/background/waking-loop.ts';
import { type FindRunCommit, type GithubApp, mayBeOfServer } from '../github-app.ts';
import { AnswerWorker, type AnswerWorkerDependencies } from './answer-worker.ts';
import { startFailedDeliveries } from './failed-deliveries.ts';
import { GithubApi, GithubError } from './github-api.ts';

type Dependencies = Omit<AnswerWorkerDependencies, 'api' | 'app'> & { readonly app: GithubApp };

/** All that the service sends to GitHub. It is loaded only if there is an app. */
export class GithubAnswers {
  readonly #dependencies: Dependencies;
  readonly #api: GithubApi;
  #running: { readonly worker: AnswerWorker; readonly deliveries: WakingLoop } | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#api = new GithubApi(dependencies);
  }

  /** Call it when the service is listening: what is sent links to it. */
  start(): void {
    const dependencies = { ...this.#dependencies, api: this.#api };
    this.#running = { worker: new AnswerWorker(dependencies), deliveries: startFailedDeliveries(dependencies) };
  }

  async stop(): Promise<void> {
    this.#api.close();
    await Promise.all([this.#running?.worker.stop(), this.#running?.deliveries.stop()]);
  }

  /** Call it after the clock was set. */
  clockChanged(): void {
    this.#running?.worker.clockChanged();
  }

  readonly findRunCommit: FindRunCommit = async (org, { issuer, repository_id: repositoryId, run_id: runId }) => {
    const { storage, app } = this.#dependencies;
    if (!mayBeOfServer(app, issuer)) return undefined;
    const gate = await storage.read(({ githubGates }) => githubGates.findOfRepository(org, repositoryId));
    if (gate === undefined || app.installations.get(gate.installation_id) !== org) return undefined;
    try {
      return await this.#api.findRunCommit(gate.installation_id, repositoryId, runId);
    } catch (error) {
      if (error instanceof GithubError) return undefined;
      throw error;
    }
  };
}
