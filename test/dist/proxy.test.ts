import { createServer } from 'node:https';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { listen } from '../../tools/loopback-server.ts';
import { runAction } from '../../tools/run-action.ts';
import { canMakeCertificates, makeCertificate } from '../support/certificate.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { startProxy } from '../support/proxy-server.ts';
import { temporaryWorkspace } from '../support/temporary-workspace.ts';

const keep = closeAfterEach();

(canMakeCertificates ? it : it.skip)('sends to the service through the tunnel of HTTPS_PROXY', async () => {
  const { key, certificate } = makeCertificate('compliance.example.com');
  const server = createServer({ key, cert: certificate }, (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('"OK"');
  });
  const port = await listen(server);
  keep({ close: () => promisify(server.close.bind(server))() });
  const proxy = keep(await startProxy({ tunnelsTo: port }));
  const workspace = await temporaryWorkspace();
  keep({ close: () => workspace.remove() });
  await workspace.write('authority.pem', certificate);

  const { exitCode, log } = await runAction({
    inputs: {
      ...{ operation: 'create-flow', flow: 'web', description: 'Of a test', template: 'unit', org: 'acme' },
      ...{ 'base-url': 'https://compliance.example.com/api/v2', 'api-token': 'the-api-key-of-acme', retries: '0' },
    },
    environment: {
      HTTPS_PROXY: proxy.url.href,
      NODE_EXTRA_CA_CERTS: `${workspace.path}/authority.pem`,
    },
  });
  expect(log).toContain('was created in organization acme');
  expect(exitCode).toBe(0);
  expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: 'compliance.example.com:443' }]);
});
