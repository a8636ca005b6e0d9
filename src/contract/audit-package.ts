import { artifactNotFound } from './artifact.ts';
import { defineEndpoint } from './endpoint.ts';
import { accessErrors, type ErrorResponse, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { noSigningKey } from './log.ts';
import { spanQuery } from './paging.ts';
import { strictObject, Type } from './schema.ts';
import { trailNotFound } from './trail-reading.ts';

const tooManyPackages = {
  status: 429,
  message: 'Too many requests; try again later',
  when: 'Two audit packages of the organization are being sent already.',
} as const satisfies ErrorResponse;

const download = {
  success: [
    {
      status: 200,
      description: 'A ZIP with the records, their proofs, attached files, verdicts, and a page that explains it.',
      schema: Type.String(),
      mediaType: 'application/zip',
    },
  ],
} as const;
const errors = [...accessErrors, tooManyPackages, noSigningKey] as const;

const query = strictObject(spanQuery);

export const getTrailPackage = defineEndpoint('GET /trails/{org}/{flow_name}/{trail_name}/audit-package', {
  ...download,
  title: 'Get audit package of a trail',
  errors: [...errors, namedFlowNotFound, trailNotFound],
});

export const getArtifactPackage = defineEndpoint(
  'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit-package',
  {
    ...download,
    title: 'Get audit package of an artifact',
    errors: [...errors, namedFlowNotFound, artifactNotFound],
  },
);

export const getFlowPackage = defineEndpoint('GET /flows/{org}/{flow_name}/audit-package', {
  ...download,
  title: 'Get audit package of a flow',
  query,
  errors: [...errors, namedFlowNotFound],
});

export const getEnvironmentPackage = defineEndpoint('GET /environments/{org}/{env_name}/audit-package', {
  ...download,
  title: 'Get audit package of an environment',
  query,
  errors: [...errors, namedEnvironmentNotFound],
});
