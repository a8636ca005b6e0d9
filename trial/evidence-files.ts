import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { podList } from './pods.ts';
import { webhookReport } from './sonar-report.ts';

/** A template as a team writes it: one attestation of the trail, and two of the artifact. */
const template = `version: 1
trail:
  attestations:
    - { name: pull-request, type: pull_request }
  artifacts:
    - name: web
      attestations:
        - { name: unit, type: junit }
        - { name: sonar, type: sonar }
`;

const junit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="cart" timestamp="2026-11-18T10:44:00Z" time="0.42">
    <testcase classname="Cart" name="adds an article" time="0.30"/>
    <testcase classname="Cart" name="removes an article" time="0.12"/>
  </testsuite>
</testsuites>
`;

/** A policy as docs/judging.md describes it. */
const policy = `_schema: https://compliance.example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  attestations:
    - type: junit
    - type: sonar
`;

/** The files that the steps of the story read. */
export interface EvidenceFiles {
  readonly template: string;
  readonly artifact: string;
  readonly junit: string;
  /** A folder to attach. */
  readonly coverage: string;
  readonly passing: string;
  readonly failing: string;
  /** Pods that run the artifact. */
  readonly pods: string;
  /** Pods that also run an image that no build reported. */
  readonly laterPods: string;
  readonly policy: string;
}

/** Writes the files into the workspace, as the tools of a job of this commit would. Returns their paths. */
export async function writeEvidenceFiles(workspace: string, sha: string): Promise<EvidenceFiles> {
  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(workspace, name);
    await writeFile(path, content);
    return path;
  };
  const writeJson = (name: string, content: unknown): Promise<string> => write(name, JSON.stringify(content));
  const artifact = await write('web.tar.gz', randomBytes(4096));
  const fingerprint = digest(await readFile(artifact));
  await mkdir(join(workspace, 'coverage'));
  await write('coverage/lcov.info', 'TN:\nSF:src/main.ts\nend_of_record\n');
  await write('coverage/notes.txt', 'Measured by the trial.\n');
  return {
    template: await write('template.yml', template),
    artifact,
    junit: await write('junit.xml', junit),
    coverage: join(workspace, 'coverage'),
    passing: await writeJson('sonar-passing.json', webhookReport(sha, 'OK', '87.5')),
    failing: await writeJson('sonar-failing.json', webhookReport(sha, 'ERROR', '61.2')),
    pods: await writeJson('pods.json', podList({ web: fingerprint })),
    laterPods: await writeJson(
      'later-pods.json',
      podList({ web: fingerprint, sidecar: digest('no build reported this') }),
    ),
    policy: await write('policy.yaml', policy),
  };
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
