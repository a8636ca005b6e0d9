import { jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { Connections } from '../../src/service/storage/postgres/connections.ts';

/** Records what is sent on the connections that are acquired from now on. */
export class SentStatements {
  /** The names of the prepared statements, in the order in which they were sent. */
  names: string[] = [];
  /** How many times something was sent on a connection after everything before it was answered. */
  roundTrips = 0;
  readonly #recorded = new WeakSet<PoolClient>();

  constructor(connections: Connections) {
    const acquire = connections.acquire.bind(connections);
    jest.spyOn(connections, 'acquire').mockImplementation(async () => {
      const client = await acquire();
      if (!this.#recorded.has(client)) this.#record(client);
      return client;
    });
  }

  /** Forgets what was recorded. */
  clear(): void {
    this.names = [];
    this.roundTrips = 0;
  }

  #record(client: PoolClient): void {
    this.#recorded.add(client);
    const query = client.query.bind(client);
    let waiting = 0;
    const answer = (): void => {
      waiting -= 1;
    };
    jest.spyOn(client, 'query').mockImplementation((statement: unknown, ...rest: unknown[]) => {
      const name: unknown = Reflect.get(Object(statement) as object, 'name');
      if (typeof name === 'string') this.names.push(name);
      if (waiting === 0) this.roundTrips += 1;
      waiting += 1;
      const answered: unknown = Reflect.apply(query, client, [statement, ...rest]);
      Promise.resolve(answered).then(answer, answer);
      return answered;
    });
  }
}
