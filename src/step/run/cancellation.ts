import { ExternalError } from '../../runtime/failure.ts';

/** The job was cancelled: by a person, by a time limit, or by a newer run of the same concurrency group. */
export class Cancellation extends ExternalError {
  override readonly name = 'Cancellation';

  constructor(signal: string) {
    super({
      what: `the step was cancelled (${signal}) before it finished, so there is no final verdict`,
      remedy:
        'Run the job again if it was cancelled by mistake. `timeout-minutes` and `concurrency` with `cancel-in-progress` also cancel jobs.',
    });
  }
}
