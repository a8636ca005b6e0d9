import { writeFile } from 'node:fs/promises';
import { createOpenApiDocument } from '../src/service/platform/server/openapi/document.ts';

// Writes docs/openapi.json, for people who read the interface without a running service. A test checks that it is up to
// date.

const document = JSON.stringify(createOpenApiDocument('/api/v2'), undefined, 2);
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${document}\n`);
