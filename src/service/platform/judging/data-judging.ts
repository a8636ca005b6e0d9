import { Piscina } from 'piscina';
import { textAt } from '../../../runtime/untrusted-data.ts';
import type { CustomTypeDefinition } from '../../custom-type/custom-type.ts';
import type { DataJudgement, DataToJudge, DefinitionFault } from '../../custom-type/judge-data.ts';

/** Memory limits of the worker, in MiB; jq's memory, which it does not count, has a limit of its own. */
const memory = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/**
 * The most judgements of one organization that wait, because all organizations share one worker. A definition, which
 * takes longer to check, waits for none.
 */
const maximumWaiting = 16;

/** The organization sends more than is judged in time. */
export class JudgingOverloadedError extends Error {
  override readonly name = 'JudgingOverloadedError';
}

/** Judges data by custom types, one after the other, in a worker thread. A worker that needs too much memory is replaced. */
export class DataJudging {
  readonly #waiting = new Map<string, number>();
  #pool: Piscina | undefined;

  /** @throws JudgingOverloadedError */
  async check(org: string, definition: CustomTypeDefinition): Promise<readonly DefinitionFault[]> {
    const faults = await this.#run<readonly DefinitionFault[]>(org, 'checkDefinition', definition, 1);
    return faults ?? [['type_schema', `would ${tooMuchMemory}`]];
  }

  /** @throws JudgingOverloadedError */
  async judge(org: string, data: DataToJudge): Promise<DataJudgement> {
    const judgement = await this.#run<DataJudgement>(org, 'judgeData', data);
    return judgement ?? { faults: [{ value: `the schema and the rules ${tooMuchMemory}` }], summary: [] };
  }

  /** Returns undefined if the worker ran out of memory. */
  async #run<Result>(org: string, name: string, input: unknown, maximum = maximumWaiting): Promise<Result | undefined> {
    const waiting = this.#waiting.get(org) ?? 0;
    if (waiting >= maximum) throw new JudgingOverloadedError('too many judgements of the organization wait');
    this.#waiting.set(org, waiting + 1);
    try {
      this.#pool ??= new Piscina({
        ...{ filename: new URL('../../custom-type/judge-data.ts', import.meta.url).href },
        ...{ minThreads: 0, maxThreads: 1, idleTimeout: 60_000 },
        // Without the flags and the environment of the service.
        ...{ resourceLimits: memory, execArgv: [], env: {} },
      });
      const result: unknown = await this.#pool.run(input, { name });
      // The worker called the function of this name.
      return result as Result;
    } catch (error) {
      if (textAt(error, 'code') !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      return undefined;
    } finally {
      const left = (this.#waiting.get(org) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(org);
      else this.#waiting.set(org, left);
    }
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}

const tooMuchMemory = `need more than ${memory.maxOldGenerationSizeMb} MiB`;
