import { serviceAccountName } from '../../contract/names.ts';
import { schemaText } from './input-types.ts';

export const serviceAccount = schemaText(
  'service-account',
  serviceAccountName,
  'the name of a service account: 1 to 64 letters, digits and `-`',
  'Use the name, not the display name; `list-service-accounts` shows both.',
);
