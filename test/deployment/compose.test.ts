import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load as parse, YAML11_SCHEMA } from 'js-yaml';
import { isMapping, listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { signingKeyVariable } from '../../src/service/commands/parse-signing-key.ts';
import { parseServiceOptions, usage } from '../../src/service/commands/service-options.ts';
import { defaultTimeouts } from '../../src/service/platform/server/server.ts';
import { finalStage, parseDockerfile, textsOf, variablesOf } from '../../tools/dockerfile/dockerfile.ts';
import { readText, root } from '../support/repository.ts';

const text = readText('compose.yaml');
// Docker Compose reads YAML 1.1, which has the merge key.
const compose = parse(text, { schema: YAML11_SCHEMA });
const proxy = readText('deploy/haproxy.cfg');
const page = readText('docs/operate/container.md');
const image = finalStage(parseDockerfile(readText('Dockerfile')));
const optionVariables = [...(usage.match(/COMPLIANCE_SERVICE_\w+/gu) ?? []), signingKeyVariable];
const port = variablesOf(image).get('COMPLIANCE_SERVICE_PORT') ?? '';

function mappingAt(value: unknown, ...keys: readonly string[]): Mapping {
  const found = valueAt(value, ...keys);
  if (!isMapping(found)) throw new Error(`compose.yaml has no ${keys.join('.')}`);
  return found;
}

const containers = Object.entries(mappingAt(compose, 'services'));
/** The containers that run the service. */
const processes = containers.filter(([, container]) => valueAt(container, 'build') !== undefined);

/** The seconds of `30s` or `1m`. */
function toSeconds(duration: string): number {
  const [, amount = '', unit = ''] = /^(\d+)(s|m)$/u.exec(duration) ?? [];
  return Number(amount) * (unit === 'm' ? 60 : 1);
}

/** The megabytes of `256m` or `2g`. */
function toMegabytes(size = ''): number {
  const [, amount = '', unit = ''] = /^(\d+)(m|g)$/iu.exec(size) ?? [];
  return Number(amount) * (unit.toLowerCase() === 'g' ? 1024 : 1);
}

describe.each(containers)('the container %s of compose.yaml', (_name, container) => {
  it('has a read-only file system, and no privileges', () => {
    expect(container).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
  });

  it('has limits of memory and processes', () => {
    expect(toMegabytes(textAt(container, 'mem_limit'))).toBeGreaterThan(0);
    expect(valueAt(container, 'pids_limit')).toBe(300);
  });

  it('has a health check', () => {
    const ofImage = valueAt(container, 'build') === undefined ? [] : textsOf(image, 'HEALTHCHECK');
    expect([...ofImage, ...listAt(container, 'healthcheck', 'test')]).not.toEqual([]);
  });

  it('uses the Dockerfile, or an image that is pinned by digest', () => {
    if (valueAt(container, 'build') !== undefined) expect(valueAt(container, 'build')).toBe('.');
    else expect(textAt(container, 'image')).toMatch(/^\w+:[\w.-]+@sha256:[0-9a-f]{64}$/u);
  });

  it('has no secret of its own', () => {
    const variables = valueAt(container, 'environment');
    for (const [name, value] of Object.entries(isMapping(variables) ? variables : {})) {
      // Required, or empty by default.
      if (/PASSWORD|KEY|SMTP_URL/u.test(name)) expect(value).toMatch(/^\$\{[A-Z_]+:(?:\?[^}]+|-)\}$/u);
    }
  });
});

describe.each(processes)('the process %s of compose.yaml', (_name, container) => {
  const variables = mappingAt(container, 'environment');

  it('sets options of the service', () => {
    const names = Object.keys(variables).filter((name) => !['PGPASSWORD', 'NODE_OPTIONS'].includes(name));
    expect(optionVariables).toEqual(expect.arrayContaining(names));
  });

  it('takes the addresses of clients from the proxies in networks of Docker, so that they share no limit', () => {
    const networks = /^\$\{COMPLIANCE_SERVICE_TRUSTED_PROXY:-(.+)\}$/u;
    const [, trusted = ''] = networks.exec(textAt(variables, 'COMPLIANCE_SERVICE_TRUSTED_PROXY') ?? '') ?? [];
    expect(parseServiceOptions(['--trusted-proxy', trusted], {})).toMatchObject({
      trustedProxies: ['172.16.0.0/12', '192.168.0.0/16'],
    });
    expect(proxy).toContain('option forwardfor');
  });

  it('connects to the database of the other container', () => {
    const database = mappingAt(compose, 'services', 'postgres', 'environment');
    const { hostname, username, pathname } = new URL(textAt(variables, 'COMPLIANCE_SERVICE_DATABASE') ?? '');
    expect({ hostname, username, pathname, password: variables['PGPASSWORD'] }).toEqual({
      hostname: 'postgres',
      username: database['POSTGRES_USER'],
      pathname: `/${textAt(database, 'POSTGRES_DB') ?? ''}`,
      password: database['POSTGRES_PASSWORD'],
    });
    expect(valueAt(container, 'depends_on', 'postgres', 'condition')).toBe('service_healthy');
  });

  it('can write to the folders that it needs, as its user', () => {
    const [user = '', group = ''] = (textsOf(image, 'USER')[0] ?? '').split(':');
    const folders = listAt(container, 'tmpfs').map((entry) => String(entry).split(':'));
    const data = folders.find(([path]) => path === variablesOf(image).get('COMPLIANCE_SERVICE_DATA'));
    expect(data?.[1]?.split(',')).toEqual(expect.arrayContaining([`uid=${user}`, `gid=${group}`, 'mode=0700']));
    expect(folders.map(([path]) => path)).toContain('/tmp');
  });

  it('has memory for its heap, and for what is in memory instead of on a disk', () => {
    const [, heap] = /^--max-old-space-size=(\d+)$/u.exec(textAt(variables, 'NODE_OPTIONS') ?? '') ?? [];
    const folders = listAt(container, 'tmpfs').map((entry) => toMegabytes(/size=(\w+)$/u.exec(String(entry))?.[1]));
    const needed = [Number(heap), ...folders].reduce((sum, part) => sum + part, 0);
    expect(toMegabytes(textAt(container, 'mem_limit'))).toBeGreaterThan(needed + 256);
  });

  it('has time to answer its requests when it stops', () => {
    const grace = toSeconds(textAt(container, 'stop_grace_period') ?? '');
    expect(grace * 1000).toBeGreaterThanOrEqual(2 * defaultTimeouts.stop);
  });
});

describe('the proxy of compose.yaml', () => {
  it('sends requests to the processes that are ready, and to all if none is', () => {
    const servers = [...proxy.matchAll(/^ +server \S+ (\S+):(\d+) (check|backup)$/gmu)].map((match) => match.slice(1));
    const names = processes.map(([name]) => name);
    expect(names.length).toBeGreaterThan(1);
    expect(servers).toEqual(['check', 'backup'].flatMap((use) => names.map((name) => [name, port, use])));
    expect(proxy).toContain('option httpchk GET /ready');
    // Two servers have one name, and HAProxy gives an address only once by default.
    expect(proxy).toMatch(/^ +default-server .* resolve-opts allow-dup-ip /mu);
  });

  it('waits longer than the service', () => {
    const waits = [...proxy.matchAll(/timeout (?:client|server) (\S+)/gu)].map(([, duration = '']) =>
      toSeconds(duration),
    );
    expect(waits).toHaveLength(2);
    for (const wait of waits)
      expect(wait * 1000).toBeGreaterThan(Math.max(defaultTimeouts.request, defaultTimeouts.response));
  });

  it('limits the rate of requests for each address, and says when to try again', () => {
    // The last address is what the proxy in front says; a client can write others before it.
    expect(proxy).toMatch(/track-sc0 hdr_ip\(x-forwarded-for,-1\),ipmask\(32,64\)\n +http-request track-sc0 src,/u);
    const limit = /deny deny_status 429 .*hdr Retry-After 10 if \{ sc_http_req_rate\(0\) gt (\d+) \}$/mu.exec(proxy);
    expect(Number(limit?.[1])).toBe(1000);
    expect(proxy).toContain('store http_req_rate(10s)');
  });

  const haproxy = spawnSync('haproxy', ['-v']).error === undefined;
  (haproxy ? it : it.skip)('has a configuration that HAProxy accepts', () => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(root, 'deploy', 'haproxy.cfg')], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });

  it('can be reached from this machine only, at the address that the settings say', () => {
    const container = mappingAt(compose, 'services', 'proxy');
    const [, own = ''] = /^ +bind :(\d+)$/mu.exec(proxy) ?? [];
    expect(listAt(container, 'ports')).toEqual([`127.0.0.1:8080:${own}`]);
    expect(listAt(container, 'volumes')).toEqual(['./deploy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    expect(listAt(container, 'healthcheck', 'test')).toContain(`http://127.0.0.1:${own}/ready`);
    expect(text).toContain('${COMPLIANCE_SERVICE_PUBLIC_URL:-http://127.0.0.1:8080}');
  });
});

describe('the page about the service', () => {
  it('names every variable that compose.yaml requires', () => {
    const required = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/gu)].map(([, name]) => name));
    const settings = [...page.matchAll(/^\s*([A-Z_]+)=.*$/gmu)].map(([, name]) => name);
    expect(required.size).toBeGreaterThan(2);
    expect(settings).toEqual(expect.arrayContaining([...required]));
  });
});

it('the images that compose.yaml and the tests use are the same', () => {
  const images = [text, readText('.github/workflows/ci.yml')].flatMap((file) => file.match(/postgres:\d\S+/gu) ?? []);
  expect(new Set(images).size).toBe(1);
});
