import { artifactNotInTrail } from '../../src/contract/attestations/attestation-kind.ts';
import type { OperationName } from '../../src/contract/endpoint.ts';
import { noSuchSnapshot, quotaExceeded } from '../../src/contract/errors.ts';
import { compliantFingerprint, type OperationFixture, sharedDigits } from './operation-fixture.ts';

/** How a step gets a response that the contract declares. */
export interface OperationRow {
  readonly inputs: Readonly<Record<string, string>>;
  readonly key?: keyof OperationFixture['keys'];
  /** An earlier step with the same key and operation. */
  readonly before?: Readonly<Record<string, string>>;
  /** The verdict that the step makes of an error response; absent if it ends with an error. */
  readonly verdict?: 'incomplete';
}

/** The responses of an operation: successes by status, errors by their message in the contract. */
export interface OperationRows {
  readonly successes: Readonly<Record<number, OperationRow>>;
  readonly errors: Readonly<Record<string, OperationRow>>;
}

const validation = 'Input payload validation failed';

/** The responses that steps need not get. */
export const exceptions: ReadonlySet<number | string> = new Set<number | string>([
  // The contract says that this service answers 201 instead.
  200,
  // Steps see these coming, and send nothing: `test/operations` has the rules of inputs and files.
  validation,
  'File size exceeds 10MB limit',
  "Bad snappish '{expression}': {reason}",
  // The same for every operation: `test/dist/failures.test.ts` has one.
  quotaExceeded.message,
]);

/** The errors of every endpoint: for an unknown key, and for a key without permission. */
function common(inputs: Readonly<Record<string, string>>, key: 'reader' | 'foreign'): OperationRows['errors'] {
  return {
    'Authentication is required': { inputs, key: 'unknown' },
    "You don't have permission to access this resource": { inputs, key },
  };
}

const flow = { flow: 'fresh', description: 'Of a test', template: 'artifact\nsonar' };
const attest = { flow: 'web', 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn' };
const environment = { environment: 'fresh', 'environment-type': 'K8S' };
const report = { environment: 'prod', files: 'pods.json' };
const policy = { policy: 'fresh', files: 'policy.yaml' };
const attach = { environment: 'attaching', policy: 'loose' };
const detach = { environment: 'detaching', policy: 'attached' };
const notification = { 'notification-number': '1' };
const artifact = { flow: 'web', fingerprint: compliantFingerprint };
const difference = { 'snapshot-1': 'prod#1', 'snapshot-2': 'prod' };
const account = { 'service-account': 'ci' };

/** The rows of every operation. */
export const operationRows: Readonly<Record<OperationName, OperationRows>> = {
  'create-flow': {
    successes: {
      201: { inputs: flow },
      200: { inputs: { ...flow, flow: 'twice' }, before: { ...flow, flow: 'twice' } },
    },
    errors: {
      ...common(flow, 'reader'),
    },
  },
  'create-environment': {
    successes: { 201: { inputs: environment } },
    errors: {
      ...common(environment, 'reader'),
      [validation]: { inputs: { environment: 'prod', 'environment-type': 'server' } },
      "Environment named '{environment}' does not exist for organization '{org}'": {
        inputs: { environment: 'all', 'environment-type': 'logical', 'included-environments': 'nowhere' },
      },
      "Policy '{policy}' does not exist in organization '{org}'": {
        inputs: { ...environment, environment: 'unruly', policy: 'unheard-of' },
      },
    },
  },
  'report-k8s': {
    successes: {
      201: { inputs: { ...report, environment: 'attaching' } },
      200: { inputs: { ...report, environment: 'still' }, before: { ...report, environment: 'still' } },
    },
    errors: {
      ...common(report, 'reader'),
      'Invalid report data': { inputs: { ...report, environment: 'machines' } },
      'Environment not found': { inputs: { ...report, environment: 'nowhere' } },
    },
  },
  'attach-policy': {
    successes: { 201: { inputs: attach } },
    errors: {
      ...common(attach, 'reader'),
      'Environment or policy not found': { inputs: { ...attach, policy: 'unheard-of' } },
    },
  },
  'detach-policy': {
    successes: { 200: { inputs: detach } },
    errors: {
      'Authentication is required': { inputs: detach, key: 'unknown' },
      'User does not have permission to detach policy': { inputs: detach, key: 'reader' },
      'Environment or policy not found': { inputs: { ...detach, policy: 'unheard-of' } },
    },
  },
  'create-policy': {
    successes: {
      201: { inputs: policy },
      200: { inputs: { ...policy, policy: 'twice' }, before: { ...policy, policy: 'twice' } },
    },
    errors: {
      ...common(policy, 'reader'),
      [validation]: { inputs: { ...policy, policy: 'wrong', files: 'no-policy.yaml' } },
    },
  },
  'attest-sonar': {
    successes: { 201: { inputs: attest } },
    errors: {
      ...common(attest, 'reader'),
      'Flow not found': { inputs: { ...attest, flow: 'unheard-of' } },
      [artifactNotInTrail.message]: { inputs: { ...attest, fingerprint: '0'.repeat(64) } },
    },
  },
  'get-notification': {
    successes: { 200: { inputs: notification } },
    errors: {
      ...common(notification, 'foreign'),
      'Action not found': { inputs: { 'notification-number': '99' } },
    },
  },
  'list-attestations': {
    successes: { 200: { inputs: { flow: 'web' } } },
    errors: {
      ...common({ flow: 'web' }, 'foreign'),
      'Flow not found': { inputs: { flow: 'unheard-of' } },
    },
  },
  'get-artifact': {
    successes: { 200: { inputs: artifact } },
    errors: {
      ...common(artifact, 'foreign'),
      "Fingerprint '{fingerprint}' is ambiguous in flow '{flow}': it is the beginning of {count} fingerprints": {
        inputs: { ...artifact, fingerprint: sharedDigits },
      },
      'Flow not found': { inputs: { ...artifact, flow: 'unheard-of' } },
      "Artifact with fingerprint '{fingerprint}' does not exist in flow '{flow}' belonging to organization '{org}'": {
        inputs: { ...artifact, fingerprint: 'f'.repeat(64) },
        verdict: 'incomplete',
      },
    },
  },
  'diff-environments': {
    successes: { 200: { inputs: difference } },
    errors: {
      ...common(difference, 'foreign'),
      [noSuchSnapshot.message]: { inputs: { ...difference, 'snapshot-1': 'prod#99' } },
      'Environment not found': { inputs: { ...difference, 'snapshot-2': 'nowhere' } },
    },
  },
  'list-snapshots': {
    successes: { 200: { inputs: { environment: 'prod' } } },
    errors: {
      ...common({ environment: 'prod' }, 'foreign'),
      'Flow not found': { inputs: { environment: 'nowhere' } },
    },
  },
  'list-service-accounts': {
    successes: { 200: { inputs: {} } },
    errors: {
      ...common({}, 'reader'),
    },
  },
  'get-service-account': {
    successes: { 200: { inputs: account } },
    errors: {
      ...common(account, 'reader'),
      'Service account not found': { inputs: { 'service-account': 'nobody' } },
    },
  },
  'delete-service-account': {
    successes: { 200: { inputs: { 'service-account': 'doomed' } } },
    errors: {
      ...common(account, 'reader'),
      'Service account not found': { inputs: { 'service-account': 'nobody' } },
    },
  },
  'set-default-org': {
    successes: { 200: { inputs: {} } },
    errors: {
      'Authentication is required': { inputs: {}, key: 'unknown' },
      'Access denied to /api/v2/user/{org}': { inputs: {}, key: 'foreign' },
    },
  },
};
