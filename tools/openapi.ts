import { writeFile } from 'node:fs/promises';
import { createOpenApiDocument } from '../src/service/http/openapi/document.ts';

// Writes the description of the service's interface for those who read it without a service. A test checks that it is
// fresh.

const document = JSON.stringify(createOpenApiDocument('/api/v2'), undefined, 2);
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${document}\n`);
