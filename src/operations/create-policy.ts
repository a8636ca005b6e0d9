import { createPolicy as endpoint, type Policy } from '../contract/policy.ts';
import { prepareAttachment } from '../evidence/files/attachment.ts';
import { resolveOnlyFile } from '../evidence/files/only-file.ts';
import { readPolicyFile } from '../evidence/policy-file.ts';
import { description, files } from './inputs/content.ts';
import { comment, policy } from './inputs/environment.ts';
import { optional, required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { fact, plain, type Fact, type Table, type Text } from './report.ts';
import { readableTime } from './time.ts';

/** Operation 6: creates a policy from a YAML file, or makes a new version of it where it exists. */
export const createPolicy = defineOperation({
  name: 'create-policy',
  endpoint,
  gate: 'ignore',
  inputs: {
    policy: required(policy),
    description: optional(description),
    comment: optional(comment),
    files: required(files),
  },
  async run(inputs, { client, org, workspace, temporaryDirectory, call: { log } }) {
    const { file, schema } = await log.group('Read the policy', async () => {
      const found = await resolveOnlyFile(inputs.files, workspace, 'the policy');
      // Its size is looked at first: what is too large to be sent is not read either.
      const attachment = await prepareAttachment([found], { temporary: temporaryDirectory });
      const checked = await readPolicyFile(found);
      log.info(`${found.name}: ${found.size} bytes, _schema ${checked.schema}`);
      return { file: attachment, schema: checked.schema };
    });
    const { status, body } = await client.call(endpoint, {
      parameters: { org },
      document: {
        name: inputs.policy,
        ...(inputs.description === undefined ? {} : { description: inputs.description }),
        ...(inputs.comment === undefined ? {} : { comment: inputs.comment }),
        type: 'env',
      },
      ...(file === undefined ? {} : { file }),
    });
    const action = status === 201 ? 'created' : 'updated';
    const version = latestVersion(body);
    return {
      outcome: 'done',
      state: action,
      conclusion: `Policy ${inputs.policy} was ${action} in organization ${org}${version === undefined ? '' : `; it has version ${version} now`}.`,
      response: body,
      report: {
        subject: `Policy ${inputs.policy}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Policy', `${inputs.policy} (${action})`),
          ...factsOf(body),
          ...fact('Schema', schema),
          ...fact('File', file === undefined ? undefined : `${file.filename}, ${file.size} bytes`),
        ],
        tables: versionsTable(body),
      },
    };
  },
});

function latestVersion({ versions = [] }: Policy): number | undefined {
  return versions.length === 0 ? undefined : Math.max(...versions.map(({ version }) => version));
}

function factsOf(policy: Policy): readonly Fact[] {
  const environments = policy.consuming_envs?.join(', ');
  return [
    ...fact('Description', policy.description),
    ...fact('Version', latestVersion(policy)?.toString()),
    ...fact('Archived', policy.archived === true ? 'yes' : undefined),
    ...fact('Environments that use it', environments === '' ? 'none' : environments),
    ...fact('Created', readableTime(policy.created_at)),
    ...fact('Last modified', readableTime(policy.last_modified_at)),
  ];
}

function versionsTable({ versions = [] }: Policy): readonly Table[] {
  if (versions.length === 0) return [];
  return [
    {
      title: 'Versions',
      columns: ['Version', 'When', 'By', 'Comment'],
      rows: versions
        .toSorted((one, other) => other.version - one.version)
        .map(({ version, timestamp, created_by: author, comment: words }): readonly Text[] => [
          plain(String(version)),
          plain(readableTime(timestamp) ?? ''),
          plain(author ?? ''),
          plain(words ?? ''),
        ]),
    },
  ];
}
