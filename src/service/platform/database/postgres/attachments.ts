import { Readable } from 'node:stream';
import type { PoolClient } from 'pg';
import { showsAttachment } from '../../../attestation/removed-attachment-records.ts';
import {
  type AttachedContent,
  type AttachmentStore,
  DamagedAttachmentError,
  type ReceivedFile,
} from '../../attachments/attachments.ts';
import { emptyDigest, verifyChunks } from '../../attachments/content-check.ts';
import type { BufferedUpload, UploadBuffer } from '../../attachments/uploads/upload-buffer.ts';
import type { Value } from '../database.ts';
import type { Connections } from './connections.ts';
import { translatePostgresError } from './postgres-errors.ts';

/** Each connection prepares them once, under their names. */
const statements = {
  // An existing row was not inserted by this transaction.
  keep: `INSERT INTO attachment_contents (digest, size, kept_at) VALUES ($1, $2, now())
    ON CONFLICT (digest) DO UPDATE SET kept_at = excluded.kept_at, size = excluded.size RETURNING xmax = 0 AS is_new`,
  check: `SELECT count(*) AS chunks, coalesce(sum(octet_length(bytes)), 0) AS size,
      coalesce(encode(sha256(string_agg(bytes, ''::bytea ORDER BY place)), 'hex'), '') AS digest
    FROM attachment_chunks WHERE digest = $1`,
  isKept: 'SELECT 1 FROM attachment_contents WHERE digest = $1',
  removeChunks: 'DELETE FROM attachment_chunks WHERE digest = $1',
  addChunk: 'INSERT INTO attachment_chunks (digest, place, bytes) VALUES ($1, $2, $3)',
  readChunk: 'SELECT bytes FROM attachment_chunks WHERE digest = $1 AND place = $2',
  removeUnnamed: `DELETE FROM attachment_contents c WHERE c.kept_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM attestations a WHERE a.attachment_digest = c.digest AND ${showsAttachment})`,
  remove: 'DELETE FROM attachment_contents WHERE digest = $1',
};

/** Attachments in PostgreSQL, in chunks, so that neither side holds a whole one in memory. */
export class PostgresAttachments implements AttachmentStore {
  readonly #connections: Connections;
  readonly #uploads: UploadBuffer;

  constructor(connections: Connections, uploads: UploadBuffer) {
    this.#connections = connections;
    this.#uploads = uploads;
  }

  async receive(content: Readable): Promise<ReceivedFile> {
    const upload = await this.#uploads.receive(content);
    return { ...upload, keep: () => this.#keep(upload) };
  }

  #keep(upload: BufferedUpload): Promise<void> {
    const { digest, size } = upload;
    return this.#use(async (client) => {
      await client.query('BEGIN');
      const [row] = await run(client, 'keep', [digest, size]);
      if (row?.['is_new'] === true || (await findFault(client, upload)) !== undefined) {
        await run(client, 'removeChunks', [digest]);
        let place = 0;
        for await (const chunk of upload.chunks()) {
          await run(client, 'addChunk', [digest, place, chunk]);
          place += 1;
        }
      }
      await client.query('COMMIT');
    });
  }

  async read(content: AttachedContent): Promise<Readable> {
    await this.verify(content);
    return Readable.from(verifyChunks(this.#readChunks(content), content), { objectMode: false });
  }

  async verify(content: AttachedContent): Promise<void> {
    const fault = await this.#use((client) => findFault(client, content));
    if (fault !== undefined) throw new DamagedAttachmentError(fault, content);
  }

  async *#readChunks({ digest }: AttachedContent): AsyncGenerator<Buffer> {
    for (let place = 0; ; place += 1) {
      const [row] = await this.#use((client) => run(client, 'readChunk', [digest, place]));
      const bytes = row?.['bytes'];
      if (!Buffer.isBuffer(bytes)) return;
      yield bytes;
    }
  }

  async remove(digest: string): Promise<void> {
    await this.#use((client) => run(client, 'remove', [digest]));
  }

  /** Checks the space for uploads; the storage's own probe checks the database. */
  probe(): Promise<void> {
    return this.#uploads.probe();
  }

  /**
   * Removes content that no record refers to and that was received more than a day ago: the record was not written,
   * because its request was refused or the process ended.
   */
  async removeUnnamed(): Promise<number> {
    return this.#use(async (client) => (await client.query(statements.removeUnnamed)).rowCount ?? 0);
  }

  async #use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#connections.acquire();
    let isReusable = false;
    try {
      const result = await work(client);
      isReusable = true;
      return result;
    } catch (error) {
      throw translatePostgresError(error);
    } finally {
      client.release(!isReusable);
    }
  }
}

async function run(
  client: PoolClient,
  name: keyof typeof statements,
  values: readonly Value[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const query = { name: `attachments.${name}`, text: statements[name], values: [...values] };
  return (await client.query<Record<string, unknown>>(query)).rows;
}

/** Compares the stored content with its record, in the database; returns undefined if they are the same. */
async function findFault(
  client: PoolClient,
  { digest, size }: AttachedContent,
): Promise<DamagedAttachmentError['fault'] | undefined> {
  const [[kept], [found]] = await Promise.all([run(client, 'isKept', [digest]), run(client, 'check', [digest])]);
  if (kept === undefined) return 'missing';
  // Empty content has no chunk.
  const stored = found?.['chunks'] === 0 ? emptyDigest : found?.['digest'];
  if (stored === digest) return undefined;
  return Number(found?.['size']) < size ? 'truncated' : 'altered';
}
