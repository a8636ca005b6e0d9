import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, chownSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedFolder, type RunningProgram } from '../guarded-folder.ts';
import { freePort, waitUntil } from '../ports.ts';
import { startOrRemove } from '../start-or-remove.ts';
import { type Account, unprivilegedAccount } from '../unprivileged-account.ts';
import { findPostgres } from './binaries.ts';

/** Parameters of postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/** The options of a server. */
export interface PostgresOptions {
  /** The folder of PostgreSQL's programs. Default: the result of `findPostgres`. */
  readonly binaries?: string;
  /** Whether commits survive a crash of the machine. Default: no, which is faster. */
  readonly durable?: boolean;
  readonly settings?: PostgresSettings;
  /** Where its folder is created, such as a small disk. Default: the system's folder for temporary files. */
  readonly parent?: string;
}

/**
 * How a server is stopped. `fast` ends all sessions and writes everything to disk. `immediate` ends at once, as after a
 * loss of power: the next start recovers.
 */
export type StopMode = 'fast' | 'immediate';

interface Cluster {
  readonly binaries: string;
  readonly account: Account | undefined;
  readonly password: string;
  readonly options: PostgresOptions;
}

const run = promisify(execFile);
const user = 'compliance';

/** How long a start, a stop or a promotion may take, in milliseconds. */
const patience = 60_000;

/** Sorts strings by language, as most servers do, so that tests find a query that should sort by bytes and does not. */
const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

const fastSettings = { fsync: 'off', full_page_writes: 'off' };

/**
 * A PostgreSQL server of its own on the loopback interface, in a temporary folder. It is stopped, and its folder
 * removed, by `remove` and when this process ends, however it ends.
 */
export class PostgresServer {
  readonly port: number;
  /** The name of a standby in the primary's `synchronous_standby_names`. */
  readonly name: string;
  readonly #folder: GuardedFolder;
  readonly #cluster: Cluster;
  #running: RunningProgram | undefined;

  private constructor(cluster: Cluster, folder: GuardedFolder, port: number) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.port = port;
    this.name = `server_${port}`;
  }

  /**
   * Creates a server without starting it.
   *
   * @throws Error if there is no PostgreSQL on this machine
   */
  static async create(options: PostgresOptions = {}): Promise<PostgresServer> {
    const account = unprivilegedAccount();
    const folder = new GuardedFolder('postgres', account, options.parent ?? tmpdir());
    try {
      const binaries = readableBinaries(options.binaries ?? findPostgres(), folder.path, account);
      const cluster = { binaries, account, password: randomBytes(16).toString('hex'), options };
      const server = new PostgresServer(cluster, folder, await freePort());
      await server.#initialize();
      return server;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  /** The address of the database `postgres`, as an administrator. */
  get url(): string {
    return `postgres://${user}:${this.#cluster.password}@127.0.0.1:${this.port}/postgres`;
  }

  get dataFolder(): string {
    return join(this.#folder.path, 'data');
  }

  /** Whether it runs. */
  get isRunning(): boolean {
    return this.#running?.hasEnded() === false;
  }

  /**
   * Starts it, and waits until it accepts connections.
   *
   * @param settings in addition to those of its options; they hold until it is stopped
   * @throws Error with its log if it does not start
   */
  async start(settings: PostgresSettings = {}): Promise<void> {
    const all = { ...this.#settings(), ...settings };
    const words = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const logged = this.log().length;
    const running = await this.#folder.run({
      program: join(this.#cluster.binaries, 'postgres'),
      words: ['-D', this.dataFolder, ...words],
      ...this.#cluster.account,
    });
    this.#running = running;
    await waitUntil(() => running.hasEnded() || this.#isReady(running.pid), patience);
    if (running.hasEnded() || !this.#isReady(running.pid))
      throw new Error(`PostgreSQL did not start:\n${this.log().slice(logged)}`);
  }

  /** Stops it, and waits until it has ended. */
  async stop(mode: StopMode = 'fast'): Promise<void> {
    await this.#end(([postmaster]) => {
      signalAll([postmaster], mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    });
  }

  /** Ends all its processes with `kill -9`. */
  async kill(): Promise<void> {
    await this.#end((pids) => {
      signalAll(pids, 'SIGKILL');
    });
  }

  /** Stops all its processes with SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void {
    if (this.#running !== undefined) signalAll(listProcesses(this.#running.pid), 'SIGSTOP');
  }

  /** Continues its processes after `freeze`. */
  thaw(): void {
    if (this.#running !== undefined) signalAll(listProcesses(this.#running.pid), 'SIGCONT');
  }

  /**
   * Creates a standby of this server, which must be stopped. Start both; for a synchronous standby, start this one with
   * `{ synchronous_standby_names: standby.name }`.
   */
  async createStandby(): Promise<PostgresServer> {
    if (this.isRunning) throw new Error('Stop the server before you create a standby of it');
    const { account, password, options } = this.#cluster;
    const folder = new GuardedFolder('postgres', account, options.parent ?? tmpdir());
    const standby = new PostgresServer(this.#cluster, folder, await freePort());
    cpSync(this.dataFolder, standby.dataFolder, { recursive: true, preserveTimestamps: true });
    chmodSync(standby.dataFolder, 0o700);
    const address = `host=127.0.0.1 port=${this.port} user=${user} password=${password}`;
    appendFileSync(
      join(standby.dataFolder, 'postgresql.auto.conf'),
      `\nprimary_conninfo = '${address} application_name=${standby.name}'\n`,
    );
    writeFileSync(join(standby.dataFolder, 'standby.signal'), '');
    if (account !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, standby.dataFolder]);
    return standby;
  }

  /** Promotes a standby to the primary, and waits until it accepts writes. */
  async promote(): Promise<void> {
    await this.#run('pg_ctl', ['promote', '-w', '-t', String(patience / 1000), '-D', this.dataFolder]);
  }

  /** Everything that it has logged so far. */
  log(): string {
    return this.#folder.log();
  }

  /** Stops it at once, and removes its folder. */
  async remove(): Promise<void> {
    await this.#folder.remove();
  }

  async #initialize(): Promise<void> {
    const secret = join(this.#folder.path, 'password');
    writeFileSync(secret, this.#cluster.password, { mode: 0o600 });
    const { account } = this.#cluster;
    if (account !== undefined) chownSync(secret, account.uid, account.gid);
    await this.#run('initdb', [
      ...['-D', this.dataFolder, '-U', user, '--auth=scram-sha-256', `--pwfile=${secret}`, ...locale],
      ...(this.#cluster.options.durable === true ? [] : ['--no-sync']),
    ]);
    rmSync(secret);
  }

  async #run(program: string, words: readonly string[]): Promise<void> {
    const { binaries, account } = this.#cluster;
    await run(join(binaries, program), words, { cwd: this.#folder.path, env: process.env, ...account });
  }

  #settings(): PostgresSettings {
    const { durable, settings } = this.#cluster.options;
    return {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 300,
      // A standby finds what was written while it was stopped.
      wal_keep_size: '256MB',
      // Otherwise it looks for its primary every 5 seconds, and is promoted only then.
      wal_retrieve_retry_interval: '100ms',
      ...(durable === true ? {} : fastSettings),
      ...settings,
    };
  }

  /** Whether its lock file, which pg_ctl reads too, says that it accepts connections. */
  #isReady(pid: number): boolean {
    try {
      const lines = readFileSync(join(this.dataFolder, 'postmaster.pid'), 'utf8').split('\n');
      return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
    } catch {
      return false;
    }
  }

  /** @param signal called with all processes; the first is the parent of the others */
  async #end(signal: (pids: readonly [number, ...number[]]) => void): Promise<void> {
    const running = this.#running;
    if (running === undefined || running.hasEnded()) return;
    const children = listProcesses(running.pid).filter((pid) => pid !== running.pid);
    signal([running.pid, ...children]);
    if (!(await waitUntil(() => running.hasEnded(), patience)))
      throw new Error(`PostgreSQL did not stop:\n${this.log()}`);
    // The next start fails if a process of the last run is left.
    await waitUntil(() => !runningProcesses().some(({ pid }) => children.includes(pid)), patience);
  }
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return startOrRemove(await PostgresServer.create(options));
}

/** The folder of the programs, or a copy of it if the account may not read the folder. */
function readableBinaries(binaries: string, folder: string, account: Account | undefined): string {
  if (account === undefined) return binaries;
  try {
    execFileSync(join(binaries, 'postgres'), ['--version'], { stdio: 'ignore', cwd: folder, ...account });
    return binaries;
  } catch {
    const copy = join(folder, 'programs');
    cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, 'bin');
  }
}

function listProcesses(pid: number): readonly number[] {
  return runningProcesses().flatMap((row) => (row.pid === pid || row.parent === pid ? [row.pid] : []));
}

/** All processes that have not ended. One that has ended is in the table until its parent notices. */
function runningProcesses(): readonly { readonly pid: number; readonly parent: number }[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [pid, parent, state = 'Z'] = line.trim().split(/\s+/u);
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}
