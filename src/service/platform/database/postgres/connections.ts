import { Socket } from 'node:net';
import pg, { type ClientBase, type ClientConfig, type PoolClient } from 'pg';
import { StorageError } from '../storage-error.ts';
import { storageError } from '../storage-faults.ts';
import type { DatabaseAddress } from './database-url.ts';
import { isDatabaseError, translatePostgresError } from './postgres-errors.ts';

export interface ConnectionSettings {
  /** The maximum number of connections for transactions; the service has two more. */
  readonly maximum: number;
  /** The time limits of these connections. Default: those of requests. */
  readonly limits?: TimeLimits;
}

const defaultConnectionSettings: ConnectionSettings = { maximum: 12 };

/** How long connecting may take, and how long work waits for a free connection, in milliseconds. */
const connectionTimeoutMillis = 5_000;

/** How long the server may take to close connections, in milliseconds. A silent one never does. */
const closingTimeoutMillis = 1_000;

/** The time limits of a connection, in milliseconds, by the names of the driver; without one, there is no limit. */
interface TimeLimits {
  readonly statement_timeout?: number;
  /** How long a statement waits for a lock. */
  readonly lock_timeout?: number;
  /** After this time, the server ends a transaction whose client has fallen silent. */
  readonly idle_in_transaction_session_timeout?: number;
  /** When the service stops waiting for an answer: later than the server should have answered. */
  readonly query_timeout?: number;
}

const timeLimits: TimeLimits = {
  statement_timeout: 20_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  query_timeout: 25_000,
};

/**
 * Between the limits of the server and of this process, in milliseconds: what has taken longer was not ended by the
 * server, so the database has fallen silent.
 */
export const silentAfter = 22_500;

/** For migrations and other work of operators, which may take long, and wait for others. */
export const withoutTimeLimits: TimeLimits = {};

/** Numbers of 64 bits are counts and sizes, which JavaScript represents exactly. */
function createTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  return types;
}

/**
 * Settings of the planner for every connection. Statements are written so that one plan suits all values, because planning
 * takes longer than the execution of many of them. That plan is made when a table may still be empty, so it must not read
 * whole tables if an index serves. Compilation never pays for statements that are this short.
 */
export const plannerSettings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' } as const;

/** The time limits that the server enforces. */
const serverLimits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/**
 * The first statement of a connection. It finds out whether the server is a standby, makes commits wait for the disk, and
 * sets the time limits that the URL leaves open: PgBouncer refuses connections that begin with them.
 */
function createPreparation({ connectionString = '' }: ClientConfig, limits: TimeLimits): string {
  const inUrl = new URL(connectionString).searchParams;
  const own = serverLimits.filter((name) => limits[name] !== undefined && !inUrl.has(name));
  const settings = { ...plannerSettings, ...Object.fromEntries(own.map((name) => [name, limits[name]])) };
  return `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_standby,
    set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, false),
    ${Object.entries(settings)
      .map(([name, value]) => `set_config('${name}', '${value}', false)`)
      .join(', ')}`;
}

/** The server accepts no writes. */
class StandbyError extends Error {
  override readonly name = 'StandbyError';
}

/**
 * The connections to a database. New ones go to the server that accepts writes: if that is another one after a
 * failover, nothing needs to be restarted.
 */
export class Connections {
  readonly #servers: readonly ClientConfig[];
  /** The index of the server that was a primary last. */
  #primary = 0;
  readonly #pools: pg.Pool[];
  readonly #sockets = new Set<Socket>();

  constructor({ servers }: Pick<DatabaseAddress, 'servers'>, settings = defaultConnectionSettings) {
    this.#servers = servers.map((server) => toClientConfig(server, () => this.#createSocket()));
    this.#pools = this.#servers.map((server) => createPool(server, settings));
  }

  /**
   * Takes a connection from the pool. Give it back with `release`; after an error, with `release(true)`.
   *
   * @throws StorageError if there is no connection.
   */
  acquire(): Promise<PoolClient> {
    return this.#onPrimary((index) => {
      const pool = this.#pools[index];
      if (pool === undefined) throw new RangeError(`there is no server ${index}`);
      return pool.connect();
    });
  }

  /**
   * Opens a connection that does not belong to the pool.
   *
   * @throws StorageError if there is no connection.
   */
  open(limits: TimeLimits = timeLimits): Promise<pg.Client> {
    return this.#onPrimary(async (index) => {
      const server = this.#servers[index] ?? {};
      const client = new pg.Client({ ...server, query_timeout: limits.query_timeout });
      try {
        await client.connect();
        await requirePrimary(client, createPreparation(server, limits));
        return client;
      } catch (error) {
        // Ending a connection that was never made can fail, too.
        client.end().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Closes all connections. Their work must have ended. */
  async close(): Promise<void> {
    const cut = (): void => {
      for (const socket of this.#sockets) socket.destroy();
    };
    const late = setTimeout(cut, closingTimeoutMillis);
    await Promise.all(this.#pools.map((pool) => pool.end()));
    clearTimeout(late);
    // The pool gives up connections after a failed query; they may still be open.
    cut();
  }

  #createSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket.once('close', () => this.#sockets.delete(socket)));
    return socket;
  }

  /** Tries the servers, beginning with the last primary. */
  async #onPrimary<Result>(connect: (index: number) => Promise<Result>): Promise<Result> {
    let failure: unknown;
    const first = this.#primary;
    for (let offset = 0; offset < this.#servers.length; offset += 1) {
      const index = (first + offset) % this.#servers.length;
      try {
        const result = await connect(index);
        this.#primary = index;
        return result;
      } catch (error) {
        failure ??= error;
        // Another server would not help, for example if the password is wrong.
        if (isDatabaseError(error) && !isUnreachable(error)) {
          failure = error;
          break;
        }
      }
    }
    throw failure instanceof StandbyError ? storageError('unreachable', failure) : translatePostgresError(failure);
  }
}

function isUnreachable(error: unknown): boolean {
  const fault = translatePostgresError(error);
  return fault instanceof StorageError && fault.reason === 'unreachable';
}

function toClientConfig(server: ClientConfig, stream: () => Socket): ClientConfig {
  return {
    ...server,
    stream,
    types: createTypes(),
    application_name: 'compliance-service',
    // Queries of one connection are sent without waiting for each other's answers.
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis,
  };
}

function createPool(server: ClientConfig, { maximum, limits = timeLimits }: ConnectionSettings): pg.Pool {
  const preparation = createPreparation(server, limits);
  const pool = new pg.Pool({
    ...server,
    query_timeout: limits.query_timeout,
    max: maximum,
    verify: (client, done) => {
      requirePrimary(client, preparation).then(() => {
        done();
      }, done);
    },
  });
  // An idle connection has ended. The pool has removed it; the next work gets another one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // A connection in use has ended. Its queries are rejected.
    client.on('error', () => undefined);
  });
  return pool;
}

async function requirePrimary(client: ClientBase, preparation: string): Promise<void> {
  const { rows } = await client.query<{ is_standby: unknown }>(preparation);
  if (rows[0]?.is_standby !== false) throw new StandbyError('the server is a standby, which accepts no writes');
}
