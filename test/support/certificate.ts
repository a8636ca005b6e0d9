import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed certificate in PEM. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

/** Whether `openssl` is installed. */
export const canMakeCertificates = spawnSync('openssl', ['version']).status === 0;

/** Makes a certificate for the host name or IP address, valid for two days. Takes about 20 ms. */
export function makeCertificate(host: string): Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [keyPath, certificatePath] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  try {
    const made = spawnSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
        ...['-keyout', keyPath, '-out', certificatePath, '-subj', `/CN=${host}`],
        ...['-addext', `subjectAltName=${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`],
      ],
      { encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
    return { key: readFileSync(keyPath, 'utf8'), certificate: readFileSync(certificatePath, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
