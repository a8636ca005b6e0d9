import { computeFingerprint } from '../../src/evidence/fingerprint/fingerprint.ts';

// Prints the fingerprint of a file or directory.
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('name a file or directory');
console.log(await computeFingerprint(path));
