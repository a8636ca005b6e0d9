import { installLocked } from '../locked-packages.ts';
import { clientProgram, publicClient, unsupportedPlatform } from './public-client.ts';

// Installs the public client for `npm run test:client`, from the registry of this machine's npm.

const reason = unsupportedPlatform();
if (reason === undefined) installLocked(publicClient, clientProgram);
else console.log(reason);
