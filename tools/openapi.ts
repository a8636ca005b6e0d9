import { writeFile } from 'node:fs/promises';
import { createOpenApiDocument } from '../src/service/platform/server/openapi/document.ts';
import { createRequestList } from './request-list.ts';

// Writes docs/openapi.json and docs/requests.md, for people who read the interface without a running service. Tests check
// that they are up to date.

const document = JSON.stringify(createOpenApiDocument('/api/v2'), undefined, 2);
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${document}\n`);
await writeFile(new URL('../docs/requests.md', import.meta.url), createRequestList());
