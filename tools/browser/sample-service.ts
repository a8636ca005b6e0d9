import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseApiKey } from '../../src/service/account/api-key.ts';
import { startLocalService } from '../local-service.ts';
import { recordCompany } from './company-data.ts';
import { recordSamples } from './sample-data.ts';

/** A running service with samples. */
export interface SampleService {
  readonly url: string;
  readonly org: string;
  /** The key of an administrator. */
  readonly key: string;
  /** What the service logged about defects and errors. */
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

/** The records of a few days, or of a company in three months. */
export type SampleKind = 'few' | 'company';

/** Starts a service in this process, and records samples that end at a time (Unix seconds), which stays its time. */
export async function startSampleService(
  end: number,
  { samples = 'few', isHostile = true }: { readonly samples?: SampleKind; readonly isHostile?: boolean } = {},
): Promise<SampleService> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'compliance-samples-'));
  const key = `samples0key_${randomBytes(32).toString('base64url')}`;
  const org = 'acme';
  let seconds = end;
  const service = await startLocalService(
    { dataFolder, first: { org, key: parseApiKey(key) }, allowPrivateTargets: false },
    { now: () => seconds * 1000 },
  );
  const setTime = (time: number): void => {
    seconds = time;
  };
  const record = samples === 'company' ? recordCompany : recordSamples;
  await record({
    baseUrl: service.baseUrl,
    org,
    key,
    setTime,
    end,
    isHostile,
  });
  setTime(end);
  const stop = async (): Promise<void> => {
    await service.stop();
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  return { url: service.url, org, key, errors: service.errors, stop };
}
