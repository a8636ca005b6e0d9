import { isMapping } from '../../src/runtime/untrusted-data.ts';
import { webhookPayload } from './sonar-analysis.ts';

/** The body of Sonar's webhook, for an analysis of this commit whose gate ended so. */
export function webhookReport(status: string, revision: string): Record<string, unknown> {
  const payload = webhookPayload();
  const gate = payload['qualityGate'];
  return { ...payload, revision, qualityGate: { ...(isMapping(gate) ? gate : {}), status } };
}
