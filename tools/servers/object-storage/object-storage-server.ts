import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isGoProgramBuilt } from '../../locked-go.ts';
import { GuardedFolder, type RunningProgram } from '../guarded-folder.ts';
import { acceptsConnections, freePort, waitUntil } from '../ports.ts';
import { startOrRemove } from '../start-or-remove.ts';
import { versitygw } from './versitygw.ts';

/** How long a start or a stop may take, in milliseconds. */
const patience = 30_000;

const bucket = 'compliance-test';
const region = 'us-east-1';

/** The variables with the credentials of object storage. */
export interface ObjectStorageCredentials {
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
}

/**
 * An S3 server of its own on the loopback interface, with one bucket in a temporary folder. It is stopped, and its
 * folder removed, by `remove` and when this process ends, however it ends.
 */
export class ObjectStorageServer {
  readonly port: number;
  readonly credentials: ObjectStorageCredentials;
  readonly #folder: GuardedFolder;
  #running: RunningProgram | undefined;

  private constructor(port: number) {
    this.port = port;
    this.credentials = {
      AWS_ACCESS_KEY_ID: `test${randomBytes(8).toString('hex')}`,
      AWS_SECRET_ACCESS_KEY: randomBytes(20).toString('hex'),
    };
    this.#folder = new GuardedFolder('object-storage');
    mkdirSync(this.bucketFolder, { recursive: true });
    mkdirSync(join(this.#folder.path, 'metadata'));
  }

  /**
   * Creates a server without starting it.
   *
   * @throws Error if versitygw is not built
   */
  static async create(): Promise<ObjectStorageServer> {
    if (!isGoProgramBuilt(versitygw))
      throw new Error('versitygw is not built yet: run `node tools/servers/install.ts`.');
    return new ObjectStorageServer(await freePort());
  }

  /**
   * The address of the bucket.
   *
   * @param port the port of a proxy in front of the server, if there is one
   */
  url(port = this.port): string {
    return `s3://${bucket}?endpoint=http://127.0.0.1:${port}&region=${region}`;
  }

  /** The folder with the objects, which are files. A test can damage or remove them. */
  get bucketFolder(): string {
    return join(this.#folder.path, 'buckets', bucket);
  }

  /**
   * Starts it, and waits until it accepts connections.
   *
   * @throws Error with its log if it does not start
   */
  async start(): Promise<void> {
    const running = await this.#folder.run({
      program: versitygw.program,
      words: [
        ...['--port', `127.0.0.1:${this.port}`, '--region', region, '--keep-alive', '--quiet'],
        ...['posix', '--sidecar', join(this.#folder.path, 'metadata'), join(this.#folder.path, 'buckets')],
      ],
      environment: {
        ROOT_ACCESS_KEY_ID: this.credentials.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_ACCESS_KEY: this.credentials.AWS_SECRET_ACCESS_KEY,
      },
    });
    this.#running = running;
    const isUp = await waitUntil(async () => running.hasEnded() || (await acceptsConnections(this.port)), patience);
    if (!isUp || running.hasEnded()) throw new Error(`versitygw did not start:\n${this.log()}`);
  }

  /** Kills it, and waits until it has ended. The objects are kept. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined || running.hasEnded()) return;
    process.kill(running.pid, 'SIGKILL');
    await waitUntil(() => running.hasEnded(), patience);
  }

  /** Everything that it has logged so far. */
  log(): string {
    return this.#folder.log();
  }

  /** Stops it, and removes the objects. */
  async remove(): Promise<void> {
    await this.#folder.remove();
  }
}

export async function startObjectStorage(): Promise<ObjectStorageServer> {
  return startOrRemove(await ObjectStorageServer.create());
}
