import type { ComplianceClient } from '../../client/client.ts';
import { getArtifact as endpoint } from '../../contract/artifact.ts';
import { maximumConnections } from '../../http/connections.ts';
import { mapConcurrently } from '../../runtime/concurrent.ts';
import { describeArtifact, stateWords } from './artifact-facts.ts';
import { judgeArtifact, type Asked, type Looked } from './parse-verdict.ts';
import { viewEnvironment, type EnvironmentView } from './environment-standing.ts';
import { failuresOf, judgeLooked, wholeVerdict, type EnvironmentSighting, type Findings } from './judge-artifacts.ts';
import type { OperationContext } from '../operation.ts';
import { describePending, mayRecover, settle, type Poll } from '../polling.ts';

/** An artifact to ask for, with the name of the file or directory it was computed of. */
export interface Wanted {
  readonly asked: Asked;
  readonly name: string | undefined;
}

/** The question for the verdict of artifacts, and whether they may run in an environment. */
export function artifactQuestion(
  wanted: readonly Wanted[],
  environment: string | undefined,
  context: OperationContext,
): Poll<Findings> {
  return {
    async ask(client, earlier) {
      // All of them each time: what was compliant minutes ago can have got bad evidence since, and a verdict of the whole
      // is of one round.
      const looked = await mapConcurrently([...wanted.entries()], maximumConnections, ([index, one]) =>
        lookUp(one, earlier?.looked[index], client, context),
      );
      if (environment === undefined) return { looked, environment };
      // After the artifacts, so that what is judged is never older than they are.
      const view = (): Promise<EnvironmentView> => viewEnvironment(client, context.org, environment);
      const sighting = await settle(view, earlier?.environment?.sighting, context.call.signal);
      return { looked, environment: { name: environment, sighting } };
    },
    missing: missingOf,
    failures: failuresOf,
  };
}

async function lookUp(
  { asked, name }: Wanted,
  earlier: Looked | undefined,
  client: ComplianceClient,
  { org, call }: OperationContext,
): Promise<Looked> {
  const sighting = await settle(
    async () => {
      const { body: artifact } = await client.call(endpoint, {
        parameters: { org, flow_name: asked.flow, fingerprint: asked.fingerprint },
        query: {
          ...(asked.trail === undefined ? {} : { trail: asked.trail }),
          ...(asked.attestationId === undefined ? {} : { attestation_id: asked.attestationId }),
        },
      });
      return { artifact, verdict: judgeArtifact(artifact, asked) };
    },
    earlier?.sighting,
    call.signal,
  );
  const state = sighting.value?.artifact.state;
  if (state !== undefined && state !== earlier?.sighting.value?.artifact.state) {
    call.log.info(`${name ?? asked.fingerprint}: ${state}`);
  }
  return { asked, name, sighting };
}

/** What the verdict of the whole waits for. It waits for nothing where whatever comes cannot change it any more. */
function missingOf({ looked, environment }: Findings): readonly string[] {
  const verdict = wholeVerdict({ looked, environment });
  if (verdict !== undefined && verdict !== 'incomplete') return [];
  if (!failuresOf({ looked, environment }).every(mayRecover)) return [];
  return [...new Set([...looked.flatMap((one) => missingOfOne(one, environment)), ...missingThere(environment)])];
}

function missingOfOne(looked: Looked, environment: EnvironmentSighting | undefined): readonly string[] {
  const { failure, value } = looked.sighting;
  if (failure !== undefined) return [`${describeArtifact(looked)} ${describePending(failure)}`];
  if (value.verdict === 'incomplete') return [`${describeArtifact(looked)} is ${stateWords(value.artifact)}`];
  const standing = judgeLooked(looked, environment)?.standing;
  return standing?.verdict === 'incomplete' ? [`${describeArtifact(looked)}: ${standing.words}`] : [];
}

function missingThere(environment: EnvironmentSighting | undefined): readonly string[] {
  const failure = environment?.sighting.failure;
  return environment === undefined || failure === undefined
    ? []
    : [`environment ${environment.name} ${describePending(failure)}`];
}
