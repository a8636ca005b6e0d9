import { writeFile } from 'node:fs/promises';
import { createInputReference } from './page.ts';

// Writes docs/inputs.md. A test checks that it is up to date.

await writeFile(new URL('../../docs/inputs.md', import.meta.url), await createInputReference());
