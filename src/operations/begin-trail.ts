import { gatheredAtKey } from '../contract/attestations/attestation-fields.ts';
import { firstLine } from '../contract/commit.ts';
import { beginTrail as endpoint } from '../contract/trail.ts';
import { repositoryInfo, runUrl } from '../evidence/job.ts';
import { runProvenance, withProvenance } from '../evidence/run-provenance.ts';
import { prepareTemplateFile } from '../evidence/template-file.ts';
import { omitUndefined } from '../runtime/omit-undefined.ts';
import { deliverEvidence, withUndelivered } from './deliver-evidence.ts';
import { gatherCommit } from './gather-commit.ts';
import { checkLinks, commitInputs, linkInputs, toExternalUrls } from './inputs/attestation-inputs.ts';
import { deliveryInputs } from './inputs/delivery-inputs.ts';
import { userData } from './inputs/evidence-inputs.ts';
import { description, flow, templateFile, trail } from './inputs/flow-inputs.ts';
import { optional, required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { readOwnUserData } from './own-user-data.ts';
import { fact } from './report.ts';
import { toRequestEffect } from './request-effect.ts';
import { trailPageUrl } from './trail-page-url.ts';

/** Begins the trail of a commit, or updates it if it exists. */
export const beginTrail = defineOperation({
  name: 'begin-trail',
  endpoint,
  gate: 'ignore',
  inputs: {
    flow: required(flow),
    trail: optional(trail),
    description: optional(description),
    userData: optional(userData),
    templateFile: optional(templateFile),
    ...linkInputs,
    ...commitInputs,
    ...deliveryInputs,
  },
  check: (values) => checkLinks(values),
  async run(inputs, context) {
    const { org, job, call } = context;
    const own = await readOwnUserData(inputs.userData, [], context);
    const data = withProvenance(own, runProvenance(job, inputs.redactCommitInfo));
    const path = inputs.templateFile;
    const template = path === undefined ? undefined : await prepareTemplateFile(path, context.workspace);
    const { info: commit } = await gatherCommit(inputs, context, endpoint);
    const name = inputs.trail ?? commit.sha1;
    const gatheredAt = call.clock.now();
    const repository = repositoryInfo(job);
    const origin = runUrl(job);
    const { answer, kept, lost } = await call.log.group('Begin the trail', () =>
      deliverEvidence(
        endpoint,
        {
          parameters: { org, flow_name: inputs.flow },
          document: omitUndefined({
            name,
            description: inputs.description,
            user_data: { ...data, [gatheredAtKey]: new Date(gatheredAt).toISOString() },
            git_commit_info: commit,
            repo_info: repository,
            origin_url: origin,
            ...toExternalUrls(inputs),
          }),
          ...(template === undefined ? {} : { file: template }),
        },
        { ...inputs, gatheredAt },
        context,
      ),
    );
    const state = answer && toRequestEffect(answer, { created: 'begun', otherwise: 'updated' });
    const action = state ?? 'begun or updated';
    const page = kept === undefined ? trailPageUrl(context, inputs.flow, name) : undefined;
    const result = {
      outcome: 'done',
      state,
      conclusion: `Trail ${name} of flow ${inputs.flow} was ${kept === undefined ? '' : 'not '}${action}.`,
      response: answer?.body,
      htmlUrl: page,
      commits: [commit.sha1],
      report: {
        subject: `Trail ${name}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Flow', inputs.flow),
          ...fact('Trail', kept === undefined ? `${name} (${action})` : name, page),
          ...fact('Description', inputs.description),
          ...fact('Commit', commit.sha1, commit.url),
          ...fact('Commit message', firstLine(commit.message)),
          ...fact('Template', template === undefined ? undefined : path),
        ],
      },
    } as const;
    return withUndelivered(result, { kept, lost });
  },
});
