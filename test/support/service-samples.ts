import type { ArtifactReport } from '../../src/contract/artifact-report.ts';
import type { SonarAttestation } from '../../src/contract/attestations/sonar.ts';
import type { FlowPayload } from '../../src/contract/flow.ts';
import type { TestService } from './service.ts';
import { call, type Called, mappingOf } from './service-call.ts';

/** A commit SHA that consists of one digit. */
export const commitOf = (digit: string): string => digit.repeat(40);
/** A fingerprint with these first digits. */
export const fingerprintOf = (digits: string): string => digits.padEnd(64, '0');

/** A flow that requires `sonar`. */
export function sampleFlow(change: Partial<FlowPayload> = {}): FlowPayload {
  return { name: 'web', description: 'The web shop', template: ['artifact', 'sonar'], ...change };
}

/** The report of an artifact by its build. */
export function sampleArtifact(change: Partial<ArtifactReport> = {}): ArtifactReport {
  return {
    fingerprint: fingerprintOf('abcdef'),
    filename: 'web.tar',
    git_commit: commitOf('1'),
    build_url: 'https://ci.example.com/builds/7',
    commit_url: `https://git.example.com/acme/web/commit/${commitOf('1')}`,
    trail_name: 'main',
    ...change,
  };
}

/** A Sonar attestation with this status of the quality gate. */
export function sampleAttestation(status: string, change: Partial<SonarAttestation> = {}): SonarAttestation {
  return {
    attestation_name: 'sonar',
    sonar_results: { project: { key: 'web' }, qualityGate: { status, conditions: [] } },
    user_data: {},
    ...change,
  };
}

/** The multipart body of a Sonar attestation, optionally with a file. */
export function attestationForm(
  document: unknown,
  file?: { readonly part?: string; readonly name?: string; readonly content: string | Uint8Array<ArrayBuffer> },
): FormData {
  const form = new FormData();
  form.set('data_json', typeof document === 'string' ? document : JSON.stringify(document));
  if (file !== undefined) {
    form.set(file.part ?? 'attachment_file.0', new Blob([file.content]), file.name ?? 'report.xml');
  }
  return form;
}

/** A template file, with attestations of the trail and of the artifact `web`, by name and type. */
export function sampleTemplate(trail: Readonly<Record<string, string>>, web: Readonly<Record<string, string>>): string {
  const list = (evidence: Readonly<Record<string, string>>, indent: string): string =>
    Object.entries(evidence)
      .map(([name, type]) => `${indent}- {name: ${name}, type: ${type}}\n`)
      .join('');
  return `version: 1
trail:
  attestations:
${list(trail, '    ')}  artifacts:
    - name: web
      attestations:
${list(web, '        ')}`;
}

/** Creates or updates a flow with a template file. */
export function saveFlowTemplate(service: TestService, template: string, name = 'web'): Promise<Called> {
  const file = { part: 'template_file', name: 'template.yml', content: template };
  return call(service, {
    method: 'PUT',
    path: `/flows/${service.org}/template_file`,
    form: attestationForm({ name, description: '' }, file),
  });
}

/** Creates or updates a flow. */
export function saveFlow(service: TestService, change: Partial<FlowPayload> = {}): Promise<Called> {
  return call(service, { method: 'PUT', path: `/flows/${service.org}`, json: sampleFlow(change) });
}

/** Reports an artifact to the flow `web`. */
export function report(service: TestService, change: Partial<ArtifactReport> = {}): Promise<Called> {
  return call(service, { method: 'POST', path: `/artifacts/${service.org}/web`, json: sampleArtifact(change) });
}

/** Attests a Sonar scan to a trail of the flow `web`. */
export function attest(service: TestService, document: unknown, trail = 'main'): Promise<Called> {
  const path = `/attestations/${service.org}/web/trail/${trail}/sonar`;
  return call(service, { method: 'POST', path, form: attestationForm(document) });
}

/** The state of an artifact of the flow `web`. */
export async function stateOf(
  service: TestService,
  fingerprint = fingerprintOf('abcdef'),
  query = '',
): Promise<unknown> {
  const called = await call(service, { path: `/artifacts/${service.org}/web/fingerprint/${fingerprint}${query}` });
  return mappingOf(called)['state'];
}

/** Adds a version to a custom type. */
export function saveCustomType(
  service: TestService,
  { name, rules }: { readonly name: string; readonly rules: readonly string[] },
): Promise<Called> {
  const form = attestationForm({ name, evaluator: { content_type: 'jq', rules } });
  return call(service, { method: 'POST', path: `/custom-attestation-types/${service.org}`, form });
}
