import { buildGoProgram } from '../locked-go.ts';
import { cosign } from './cosign.ts';

// Builds cosign for `npm run test:real`, once, in some minutes.

buildGoProgram(cosign);
