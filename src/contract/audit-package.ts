import { defineEndpoint, type ErrorResponse } from './endpoint.ts';
import { artifactNotFound } from './artifact.ts';
import { accessErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { noSigningKey } from './log.ts';
import { environmentName, fingerprint, flowName, orgName, trailName } from './names.ts';
import { spanQuery } from './paging.ts';
import { Type } from './schema.ts';
import { trailNotFound } from './trail-reading.ts';

const tooManyPackages = {
  status: 429,
  message: 'Too many requests',
  when: 'Two audit packages of the organization are being sent already.',
} as const satisfies ErrorResponse;

const download = {
  method: 'GET',
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

const query = Type.Object(spanQuery, { additionalProperties: false });

export const getTrailPackage = defineEndpoint({
  ...download,
  title: 'Get audit package of a trail',
  path: '/trails/{org}/{flow_name}/{trail_name}/audit-package',
  parameters: Type.Object({ org: orgName, flow_name: flowName, trail_name: trailName }),
  errors: [...errors, namedFlowNotFound, trailNotFound],
});

export const getArtifactPackage = defineEndpoint({
  ...download,
  title: 'Get audit package of an artifact',
  path: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit-package',
  parameters: Type.Object({ org: orgName, flow_name: flowName, fingerprint }),
  errors: [...errors, namedFlowNotFound, artifactNotFound],
});

export const getFlowPackage = defineEndpoint({
  ...download,
  title: 'Get audit package of a flow',
  path: '/flows/{org}/{flow_name}/audit-package',
  parameters: Type.Object({ org: orgName, flow_name: flowName }),
  query,
  errors: [...errors, namedFlowNotFound],
});

export const getEnvironmentPackage = defineEndpoint({
  ...download,
  title: 'Get audit package of an environment',
  path: '/environments/{org}/{env_name}/audit-package',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  query,
  errors: [...errors, namedEnvironmentNotFound],
});
