import { isDeepStrictEqual } from 'node:util';
import { type GithubGate, maximumGithubGates } from '../../contract/github-gate.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { ChangeAuthor } from '../account/api-key-use-cases.ts';
import { defineWrite, type WriteContext } from '../platform/judging/define-write.ts';
import { findOverlap, type GateDeclaration, type GateOverlap } from './gate.ts';
import type { GithubApp } from './github-app.ts';

interface GateReference {
  readonly org: string;
  readonly name: string;
}

export type GateToSave = GateReference & ChangeAuthor & { readonly declaration: GateDeclaration };

export type SaveGateResult =
  | { readonly outcome: 'created' | 'replaced'; readonly gate: GithubGate }
  | { readonly outcome: 'too many gates' | 'no app' | 'foreign installation' }
  | { readonly outcome: 'overlaps'; readonly overlap: GateOverlap };

/** In characters. */
const maximumShownGate = 2000;

/** Creates or replaces a gate. GitHub is not asked whether the installation and its repositories exist. */
export const saveGate = defineWrite(
  async (
    transaction,
    { org, name, declaration, by }: GateToSave,
    { at, github }: WriteContext & { readonly github: GithubApp | undefined },
  ): Promise<SaveGateResult> => {
    if (github === undefined) return { outcome: 'no app' };
    if (github.installations.get(declaration.installation_id) !== org) return { outcome: 'foreign installation' };
    const all = await transaction.githubGates.list(org);
    const known = all.find((gate) => gate.name === name);
    if (known === undefined && all.length >= maximumGithubGates) return { outcome: 'too many gates' };
    const others = all.filter((gate) => gate !== known);
    const overlap = findOverlap(declaration, others);
    if (overlap !== undefined) return { outcome: 'overlaps', overlap };
    const { created_at, created_by } = known ?? { created_at: at, created_by: by };
    const gate = { name, ...declaration, created_at, created_by, last_modified_at: at };
    const outcome = known === undefined ? 'created' : 'replaced';
    if (known !== undefined && isDeepStrictEqual({ ...gate, last_modified_at: known.last_modified_at }, known)) {
      return { outcome, gate: known };
    }
    await transaction.githubGates.save(org, gate);
    const details = { gate: truncate(JSON.stringify(declaration), maximumShownGate) };
    const subject = `GitHub gate ${name}`;
    await transaction.auditLog.append({ org, type: 'github_gate_saved', at, actor: by, subject, details });
    await transaction.githubAnswers.noteChange({ org }, at);
    return { outcome, gate };
  },
);

/** Deletes a gate. Its checks stay as they are, and deployments that are waiting are rejected. */
export const deleteGate = defineWrite(
  async (transaction, { org, name, by }: GateReference & ChangeAuthor, { at }): Promise<'deleted' | 'not found'> => {
    if ((await transaction.githubGates.delete(org, name)) === 'not found') return 'not found';
    const subject = `GitHub gate ${name}`;
    await transaction.auditLog.append({ org, type: 'github_gate_deleted', at, actor: by, subject, details: {} });
    await transaction.githubAnswers.noteChange({ org }, at);
    return 'deleted';
  },
);
