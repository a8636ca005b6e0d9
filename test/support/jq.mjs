import { readFileSync } from 'node:fs';
import { loadJq } from 'jq-wasm';

// What `gh … --jq FILTER` does with the JSON that it gets: texts are printed as they are.
const { stdout } = await (await loadJq()).raw(readFileSync(0, 'utf8'), process.argv[2] ?? '.', ['-r']);
process.stdout.write(stdout);
