import type { EndpointResult } from '../client/endpoint-call.ts';
import { maximumTextLength } from '../contract/limits.ts';
import { createPolicy as endpoint, type Policy, type PolicyPayload } from '../contract/policy.ts';
import { attachFile } from '../evidence/attachment/attachment.ts';
import { resolveOnlyFile } from '../evidence/files/resolve-files.ts';
import { checkPolicyFile } from '../evidence/policy-file.ts';
import { omitUndefined } from '../runtime/omit-undefined.ts';
import { formatTime } from './format-time.ts';
import { policy } from './inputs/environment-inputs.ts';
import { files } from './inputs/evidence-inputs.ts';
import { description } from './inputs/flow-inputs.ts';
import { optional, required, withDefault } from './inputs/input.ts';
import { flag, text } from './inputs/input-types.ts';
import { defineOperation } from './operation.ts';
import { askForPreview, createPreviewResult } from './policy-preview.ts';
import { type Fact, fact, listTable, plain, type Table, type Text } from './report.ts';
import { toRequestEffect } from './request-effect.ts';

/** Operation 6: creates a policy from a YAML file, or a new version of it if it exists; or previews it. */
export const createPolicy = defineOperation({
  name: 'create-policy',
  endpoint,
  gate: 'ignore',
  inputs: {
    policy: required(policy),
    description: optional(description),
    comment: optional(text('comment', maximumTextLength)),
    files: required(files),
    preview: withDefault(flag('preview'), false),
  },
  async run(inputs, context) {
    const { org, workspace } = context;
    const { log } = context.call;
    const { file, schema } = await log.group('Read the policy', async () => {
      const found = await resolveOnlyFile(inputs.files, workspace, 'the policy');
      // Checks the size before the file is read.
      const attachment = attachFile(found);
      const schemaUrl = await checkPolicyFile(found);
      log.info(`${found.name}: ${found.size} bytes, _schema ${schemaUrl}`);
      return { file: attachment, schema: schemaUrl };
    });
    const document: PolicyPayload = omitUndefined({
      name: inputs.policy,
      description: inputs.description,
      comment: inputs.comment,
      type: 'env' as const,
    });
    const upload = { document, file };
    const fileFacts = [...fact('Schema', schema), ...fact('File', `${file.filename}, ${file.size} bytes`)];
    if (inputs.preview) {
      const parameters = { org, policy_name: inputs.policy };
      return createPreviewResult(await askForPreview(context.client, { parameters, ...upload }), org, fileFacts);
    }
    const answer = await context.client.call(endpoint, { parameters: { org }, ...upload });
    const state = toRequestEffect(answer, { created: 'created', otherwise: 'updated' });
    const { body } = answer;
    const action = state ?? 'created or updated';
    return {
      outcome: 'done',
      state,
      conclusion: conclude(inputs.policy, org, { ...answer, state }),
      response: body,
      report: {
        subject: `Policy ${inputs.policy}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Policy', `${inputs.policy} (${action})`),
          ...policyFacts(body),
          ...fileFacts,
        ],
        tables: versionsTable(body),
      },
    };
  },
});

type Uploaded = Pick<EndpointResult<typeof endpoint>, 'body' | 'source'> & { readonly state: string | undefined };

function conclude(name: string, org: string, { state, body, source }: Uploaded): string {
  const version = latestVersion(body);
  if (source === 'look-up') {
    const number = version === undefined ? '' : `, number ${version}`;
    return `Policy ${name} is recorded in organization ${org}; this file is its latest version${number}.`;
  }
  const now = version === undefined ? '' : `; its latest version is now ${version}`;
  return `Policy ${name} was ${state ?? 'created or updated'} in organization ${org}${now}.`;
}

function latestVersion({ versions }: Policy): number | undefined {
  return versions.length === 0 ? undefined : Math.max(...versions.map(({ version }) => version));
}

function policyFacts(policy: Policy): readonly Fact[] {
  const environments = policy.consuming_envs?.join(', ');
  return [
    ...fact('Description', policy.description),
    ...fact('Version', latestVersion(policy)?.toString()),
    ...fact('Archived', policy.archived === true ? 'yes' : undefined),
    ...fact('Environments that use it', environments === '' ? 'none' : environments),
    ...fact('Created', formatTime(policy.created_at)),
    ...fact('Last modified', formatTime(policy.last_modified_at)),
  ];
}

function versionsTable({ versions }: Policy): readonly Table[] {
  const rows = versions
    .toSorted((one, other) => other.version - one.version)
    .map(({ version, timestamp, created_by: author, comment: words }): readonly Text[] => [
      plain(String(version)),
      plain(formatTime(timestamp) ?? ''),
      plain(author ?? ''),
      plain(words ?? ''),
    ]);
  return listTable('Versions', ['Version', 'When', 'By', 'Comment'], rows);
}
