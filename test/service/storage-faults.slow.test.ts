import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { itWithPermissions } from '../support/platform.ts';
import { canLimitProcesses, limitProcess } from '../support/process-limits.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call, type Called } from '../support/service-call.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { attestationForm, sampleAttestation, sampleFlow, saveFlow } from '../support/service-samples.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

const mebibyte = 1024 * 1024;
const unavailable = { message: 'The service cannot use its storage; nothing was recorded; try again later' };
const full = { message: 'The service has no room left to record this; nothing was recorded' };

let trails = 0;
function upload(service: TestService, bytes: number): Promise<Called> {
  const form = attestationForm(sampleAttestation('OK'), { content: randomBytes(bytes) });
  trails += 1;
  return call(service, { method: 'POST', path: `/attestations/acme/web/trail/t${trails}/sonar`, form });
}

const ready = async (service: TestService): Promise<unknown> => {
  const { status, body, headers, text } = await call(service, { at: service.url, path: '/ready', key: null });
  if (status === 503) expect(headers.get('retry-after')).toBe('10');
  return [status, body ?? text];
};
const isReady = [200, 'OK'];
const notReady = (reason: string): unknown => [503, { message: `Not ready: the storage is ${reason}` }];

/** Every question is asked later than any finding lasts. */
function hurryingClock(): () => number {
  let time = Date.now();
  return () => (time += 1000);
}

describe('a service whose storage fails', () => {
  let dataFolder: string;
  let service: TestService;
  const start = async (folder: string): Promise<void> => {
    dataFolder = folder;
    service = await startTestService({ dataFolder, sources: { now: hurryingClock() } });
    await saveFlow(service);
  };
  beforeEach(async () => {
    await start(await mkdtemp(join(tmpdir(), 'compliance-faults-')));
  });
  afterEach(async () => {
    await service.stop();
    await rm(dataFolder, { recursive: true });
  });

  const expectUnavailable = (called: Called): void => {
    expect([called.status, called.body]).toEqual([503, unavailable]);
    expect(called.headers.get('retry-after')).toBe('10');
    expect(called.text).not.toContain(dataFolder);
  };

  it.each(['attachments/incoming', 'attachments/content', 'attachments'])(
    'answers 503 while %s is gone, is not ready, and goes on when it is back',
    async (name) => {
      expect(await ready(service)).toEqual(isReady);
      await rename(join(dataFolder, name), join(dataFolder, 'elsewhere'));
      expectUnavailable(await upload(service, 100));
      expect(await ready(service)).toEqual(notReady('missing'));
      // One line, without a stack.
      const failed = /^request \S+: POST \S+ failed: a file or folder of the storage is missing: ENOENT.*$/u;
      expect(service.errors[0]).toMatch(failed);
      await rename(join(dataFolder, 'elsewhere'), join(dataFolder, name));
      expect(await ready(service)).toEqual(isReady);
      expect((await upload(service, 100)).status).toBe(201);
    },
  );

  it('acknowledges nothing while its folder is gone, although SQLite would go on writing', async () => {
    await rename(dataFolder, `${dataFolder}.moved`);
    expectUnavailable(await saveFlow(service, { name: 'lost' }));
    expect(await ready(service)).toEqual(notReady('missing'));
    await rename(`${dataFolder}.moved`, dataFolder);
    expect((await saveFlow(service, { name: 'lost' })).status).toBe(201);
    expect(await ready(service)).toEqual(isReady);
  });

  it('answers 503 when a folder is a file', async () => {
    await rename(join(dataFolder, 'attachments', 'incoming'), join(dataFolder, 'elsewhere'));
    await writeFile(join(dataFolder, 'attachments', 'incoming'), '');
    expectUnavailable(await upload(service, 100));
    expect(await ready(service)).toEqual(notReady('missing'));
  });

  it('is not ready after a request has found its database damaged', async () => {
    await service.storage.query('PRAGMA wal_checkpoint(TRUNCATE)');
    // The first page is whole, so that SQLite would go on writing.
    await truncate(join(dataFolder, 'compliance.sqlite'), 40_960);
    expect(await ready(service)).toEqual(isReady);
    expectUnavailable(await call(service, { path: '/flows/acme/web' }));
    expect(await ready(service)).toEqual(notReady('damaged'));
    expect(await ready(service)).toEqual(notReady('damaged'));
  });

  it('stays ready if only an attachment is damaged', async () => {
    expect((await upload(service, 100)).status).toBe(201);
    const [digest = ''] = await service.storage.listAttachments();
    await writeFile(join(dataFolder, 'attachments', 'content', digest.slice(0, 2), digest), 'altered');
    const { body } = await call(service, { path: '/attestations/acme/web' });
    const page = textAt(listAt({ data: valueAt(body, 'data') }, 'data')[0], 'html_url') ?? '';
    expect((await call(service, { at: `${page}/attachment`, path: '' })).status).toBe(500);
    expect(await ready(service)).toEqual(isReady);
  });

  itWithPermissions('answers 503 while it may not write (not as root, who always may)', async () => {
    const incoming = join(dataFolder, 'attachments', 'incoming');
    await chmod(incoming, 0o500);
    expectUnavailable(await upload(service, 100));
    expect(await ready(service)).toEqual(notReady('inaccessible'));
    await chmod(incoming, 0o700);
    expect(await ready(service)).toEqual(isReady);
    expect((await upload(service, 100)).status).toBe(201);
  });
});

const describeWithDisk = canMountDisks() ? describe : describe.skip;

describeWithDisk('a service on a full disk (needs the right to mount one)', () => {
  let disk: SmallDisk | undefined;
  let filler: string;
  let dataFolder: string;
  let service: TestService;
  beforeAll(() => {
    disk = mountSmallDisk(12 * mebibyte);
    filler = join(disk?.path ?? '', 'filler');
    dataFolder = join(disk?.path ?? '', 'data');
  });
  afterAll(() => {
    disk?.remove();
  });
  beforeEach(async () => {
    await mkdir(dataFolder);
    service = await startTestService({ dataFolder, sources: { now: hurryingClock() } });
    await saveFlow(service);
  });
  afterEach(async () => {
    await service.stop();
    await rm(dataFolder, { recursive: true });
    await rm(filler, { force: true });
  });

  /** Leaves so many bytes free, or a little less. */
  const fill = async (left: number): Promise<void> => {
    await writeFile(filler, Buffer.alloc(16 * mebibyte)).catch(() => undefined);
    await writeFile(filler, Buffer.alloc(Math.max(0, (await stat(filler)).size - left)));
  };

  it.each([0, mebibyte])(
    'answers uploads 507 with %d bytes left, is not ready, and goes on with room',
    async (left) => {
      expect((await upload(service, 1000)).status).toBe(201);
      await fill(left);
      const refused = await upload(service, 4 * mebibyte);
      expect([refused.status, refused.body]).toEqual([507, full]);
      expect(await ready(service)).toEqual(notReady('full'));
      expect(await ready(service)).toEqual(notReady('full'));
      expect(service.errors.join()).toContain('the disk is full');
      await rm(filler);
      expect(await ready(service)).toEqual(isReady);
      expect((await upload(service, 4 * mebibyte)).status).toBe(201);
      expect(await attestations(service)).toBe(2);
    },
  );

  it('answers documents 507 when the database has no room, and keeps all that it acknowledged', async () => {
    await fill(3 * mebibyte);
    let acknowledged = 0;
    let last: Called;
    do {
      const description = randomBytes(32_000).toString('hex');
      last = await saveFlow(service, { name: `flow-${acknowledged}`, description });
      if (last.status === 201) acknowledged += 1;
    } while (last.status === 201);
    expect([last.status, last.body]).toEqual([507, full]);
    expect(await ready(service)).toEqual(notReady('full'));
    await rm(filler);
    expect(await ready(service)).toEqual(isReady);
    expect((await saveFlow(service, { name: 'after' })).status).toBe(201);
    await service.stop();
    service = await startTestService({ dataFolder });
    for (let number = 0; number < acknowledged; number += 1) {
      expect((await saveFlow(service, { name: `flow-${number}` })).status).toBe(200);
    }
  });

  it('answers 503 while the disk is read-only, and goes on when it is not', async () => {
    // A file that is open for writing keeps a disk from becoming read-only; what is opened anew is refused all the same.
    await service.stop();
    disk?.remount('ro');
    try {
      await expect(startTestService({ dataFolder })).rejects.toThrow(
        / is read-only; make it writable, or choose another/u,
      );
    } finally {
      disk?.remount('rw');
    }
    service = await startTestService({ dataFolder });
    expect((await upload(service, 1000)).status).toBe(201);
  });

  it('does not start without room, and says which disk is full', async () => {
    await service.stop();
    await rm(dataFolder, { recursive: true });
    await fill(0);
    await expect(startTestService({ dataFolder })).rejects.toThrow(
      /the disk of .*data.* is full; make room there and start again/u,
    );
    await rm(filler);
    service = await startTestService({ dataFolder });
    expect((await saveFlow(service)).status).toBe(201);
  });
});

async function attestations(service: TestService): Promise<number> {
  const { body } = await call(service, { path: '/attestations/acme/web?per_page=1000' });
  const data: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'data') : undefined;
  return Array.isArray(data) ? data.length : -1;
}

const describeWithLimits = canLimitProcesses() ? describe : describe.skip;

describeWithLimits('a service at a limit of its process (needs prlimit)', () => {
  const key = `own1_${'x'.repeat(40)}`;
  let dataFolder: string;
  let running: ServiceProcess;
  // One connection: a process without file handles takes no new ones.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-limits-'));
    running = await startServiceProcess(['--port', '0', '--data', dataFolder, '--org', 'acme', '--key', key]);
    expect((await send('PUT', '/api/v2/flows/acme', new Response(JSON.stringify(sampleFlow())))).status).toBe(201);
  });
  afterEach(async () => {
    agent.destroy();
    running.child.kill('SIGKILL');
    await running.ended();
    await rm(dataFolder, { recursive: true });
  });

  const send = async (method: string, path: string, content?: Response): Promise<{ status: number; body: string }> => {
    const bytes = content === undefined ? undefined : Buffer.from(await content.arrayBuffer());
    const type = content?.headers.get('content-type') ?? '';
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': type.startsWith('text/plain') ? 'application/json' : type,
      ...(bytes === undefined ? {} : { 'content-length': bytes.length }),
    };
    return new Promise((resolve, reject) => {
      request(new URL(path, running.baseUrl), { method, headers, agent }, (answer) => {
        text(answer).then((body) => {
          resolve({ status: answer.statusCode ?? 0, body });
        }, reject);
      })
        .on('error', reject)
        .end(bytes);
    });
  };
  const uploadOne = (bytes: number): ReturnType<typeof send> => {
    trails += 1;
    const form = attestationForm(sampleAttestation('OK'), { content: randomBytes(bytes) });
    return send('POST', `/api/v2/attestations/acme/web/trail/t${trails}/sonar`, new Response(form));
  };
  const readyLater = async (status: number): Promise<string> => {
    for (;;) {
      const answer = await send('GET', '/ready');
      if (answer.status === status) return answer.body;
    }
  };

  it.each([
    ['fsize', 8192, 507, /Not ready: the storage is (?:full|failing)/u],
    ['nofile', 8, 503, /Not ready: the storage is exhausted/u],
  ])('answers uploads while %s is %d, is not ready, and goes on after it', async (limit, value, status, reason) => {
    limitProcess(running.child.pid, limit, value);
    const refused = await uploadOne(100_000);
    expect(refused.status).toBe(status);
    expect(refused.body).not.toContain(dataFolder);
    expect(await readyLater(503)).toMatch(reason);
    limitProcess(running.child.pid, limit, limit === 'nofile' ? 1024 : 'unlimited');
    await readyLater(200);
    expect((await uploadOne(100_000)).status).toBe(201);
    expect(running.output()).toContain('the storage is not writable');
    expect(running.output()).toContain('the storage is writable again');
  });
});
