import { isRecent, type Clock } from '../../../../runtime/clock.ts';
import type { ServiceLog } from '../../../../runtime/log.ts';
import type { S3Credentials } from '../s3-options.ts';
import { describeSource, type CredentialSource } from './credential-source.ts';
import { CredentialsError, toCredentialsError } from './credentials-error.ts';
import { loadCredentials } from './load-credentials.ts';
import type { LoadedCredentials } from './loaded-credentials.ts';

/** Gives the credentials for each request. */
export interface CredentialProvider {
  /** Where the credentials come from, as operators know it. */
  readonly name: string;
  /** @throws CredentialsError */
  get(): Promise<S3Credentials>;
  /**
   * Call it if the storage refused the credentials as unknown or expired.
   *
   * @returns whether `get` may return others now
   */
  reject(credentials: S3Credentials): boolean;
}

/** The dependencies of renewed credentials. */
export interface CredentialDependencies {
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** Credentials that are set directly, or that are renewed before they expire. */
export function createCredentialProvider(
  credentials: S3Credentials | CredentialSource,
  dependencies: CredentialDependencies,
): CredentialProvider {
  if ('kind' in credentials) {
    return new RenewedCredentials(
      describeSource(credentials),
      () => loadCredentials(credentials, dependencies.clock),
      dependencies,
    );
  }
  const name = 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN';
  return {
    name,
    get: () => Promise.resolve(credentials).then((given) => requireSendable(name, given)),
    reject: () => false,
  };
}

/**
 * Checks what is sent in headers: the error for an invalid header would quote it.
 *
 * @throws CredentialsError
 */
function requireSendable(source: string, credentials: S3Credentials): S3Credentials {
  const { accessKeyId, sessionToken = '' } = credentials;
  for (const [name, value] of Object.entries({ accessKeyId, sessionToken })) {
    if (!/^[\x20-\x7e]*$/u.test(value)) {
      throw new CredentialsError(source, `${name} has characters other than printable ASCII`, false);
    }
  }
  return credentials;
}

/** How long a source may take, in milliseconds. */
const loadTimeout = 5000;
/** How long before they expire credentials are renewed, in milliseconds. AWS has new ones by then. */
const renewalTime = 5 * 60_000;
/** How long before they expire credentials are last used, in milliseconds: the request takes a while. */
const safetyTime = 30_000;
/** The minimum time between two renewals, in milliseconds, as long as there are credentials to use. */
const minimumInterval = 30_000;

interface Current {
  readonly credentials: S3Credentials;
  readonly loaded: number;
  /** They cannot be used from this time on. */
  readonly end: number;
}

/**
 * Temporary credentials. They are renewed in the background, once at a time; requests wait only if there are none that
 * can be used. Credentials without an expiry time, such as those in a file, are read again every five minutes.
 */
export class RenewedCredentials implements CredentialProvider {
  readonly name: string;
  readonly #load: () => Promise<LoadedCredentials>;
  readonly #dependencies: CredentialDependencies;
  #current: Current | undefined;
  #renewal: Promise<Current> | undefined;
  /** The time of the next renewal. */
  #renewAt = 0;

  constructor(name: string, load: () => Promise<LoadedCredentials>, dependencies: CredentialDependencies) {
    this.name = name;
    this.#load = load;
    this.#dependencies = dependencies;
  }

  async get(): Promise<S3Credentials> {
    const now = this.#dependencies.clock.now();
    const current = this.#current;
    if (current === undefined || now >= current.end) return (await this.#renew()).credentials;
    if (now >= this.#renewAt && this.#renewal === undefined) {
      this.#renew().catch((error: unknown) => {
        const end = Number.isFinite(current.end)
          ? `; they can be used until ${new Date(current.end).toISOString()}`
          : '';
        this.#dependencies.log.error(`the credentials of the object storage were not renewed${end}`, error);
      });
    }
    return current.credentials;
  }

  reject(credentials: S3Credentials): boolean {
    const current = this.#current;
    if (current?.credentials !== credentials) return true;
    if (isRecent(current.loaded, minimumInterval, this.#dependencies.clock.now())) return false;
    this.#current = undefined;
    return true;
  }

  #renew(): Promise<Current> {
    this.#renewal ??= this.#loadNext().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #loadNext(): Promise<Current> {
    const { clock } = this.#dependencies;
    this.#renewAt = clock.now() + minimumInterval;
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await this.#loadInTime();
    const loaded = clock.now();
    const end = expiration === undefined ? Infinity : expiration.getTime() - safetyTime;
    if (!(end > loaded)) {
      const time = expiration?.toJSON() ?? 'an invalid time';
      throw new CredentialsError(this.name, `they have expired (${time}); check this machine's clock`, true);
    }
    const renewAt = expiration === undefined ? loaded + renewalTime : expiration.getTime() - renewalTime;
    this.#renewAt = Math.max(renewAt, loaded + minimumInterval);
    // A source of keys that are not temporary may give an empty token.
    const token = sessionToken === undefined || sessionToken === '' ? {} : { sessionToken };
    const credentials = requireSendable(this.name, { accessKeyId, secretAccessKey, ...token });
    this.#current = { credentials, loaded, end };
    return this.#current;
  }

  /** @throws CredentialsError */
  #loadInTime(): Promise<LoadedCredentials> {
    return new Promise((resolve, reject) => {
      const cancel = this.#dependencies.clock.after(loadTimeout, () => {
        reject(new CredentialsError(this.name, `no answer within ${loadTimeout / 1000} s`, true));
      });
      this.#load()
        .then(resolve, (error: unknown) => {
          reject(toCredentialsError(this.name, error));
        })
        .finally(cancel);
    });
  }
}
