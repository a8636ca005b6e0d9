import { readFile, writeFile } from 'node:fs/promises';
import { updateInterfaceChoices } from './page.ts';

// Writes the choices of the contract into docs/interface-choices.md. A test checks that they are up to date.

const page = new URL('../../docs/interface-choices.md', import.meta.url);
await writeFile(page, updateInterfaceChoices(await readFile(page, 'utf8')));
