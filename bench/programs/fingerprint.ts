import { computeFingerprint } from '../../src/evidence/fingerprint/fingerprint.ts';

// Prints the fingerprint of the file or directory that it is given.
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('name a file or directory');
console.log(await computeFingerprint(path));
