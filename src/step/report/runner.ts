import { statSync } from 'node:fs';
import * as core from '@actions/core';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { Log } from '../../runtime/log.ts';
import { printable } from '../../runtime/printable.ts';
import { type RunnerFile, withRunnerFile, withRunnerFileAsync } from '../../runtime/runner-file.ts';
import type { AnnotationLevel } from '../run/gate.ts';
import type { Secrets } from './secrets.ts';

/** The interface to GitHub's runner: log, annotations, outputs and summary. Foreign texts are redacted. */
export interface Runner {
  readonly log: Log;
  mask(): void;
  annotate(level: AnnotationLevel, title: string, message: string): void;
  /** @throws RunnerFileError if the runner's file cannot be written */
  setOutputs(outputs: Readonly<Record<string, string>>): void;
  /** How many bytes the summary of this step may still grow by; undefined if the runner does not support summaries. */
  summaryRoom(): number | undefined;
  /** @throws RunnerFileError if the runner's file cannot be written */
  appendSummary(markdown: string): Promise<void>;
}

const outputs: RunnerFile = { variable: 'GITHUB_OUTPUT', holds: "the step's outputs" };
const summary: RunnerFile = { variable: 'GITHUB_STEP_SUMMARY', holds: 'the job summary' };

/**
 * The outputs that are not redacted: fixed words, a number, and paths that the step or the workflow
 * names. They cannot contain a secret, and replacing a secret of a few characters in them would break the conditions of later steps.
 */
const ownOutputs: ReadonlySet<string> = new Set(['outcome', 'compliant', 'count', 'response-path', 'spool-path']);

/** GitHub's limit for the summary of one step, in bytes. */
const maximumSummaryBytes = 1024 * 1024;

/**
 * The runner that started this process.
 *
 * @param environment that of the process: @actions/core reads it by itself
 */
export function githubRunner(environment: EnvironmentVariables, secrets: Secrets): Runner {
  // Every foreign text in the log, an annotation or an output passes through here.
  const clean = (text: string): string => printable(secrets.redact(text));
  const print = (line: string): void => {
    core.info(harmless(clean(line)));
  };
  const annotate = (level: AnnotationLevel, title: string, message: string): void => {
    core[level](clean(message), title === '' ? {} : { title: clean(title) });
  };
  const summaryFile = environment['GITHUB_STEP_SUMMARY'] ?? '';
  return {
    log: {
      debug: (line) => {
        core.debug(clean(line));
      },
      info: print,
      warning: (line) => {
        annotate('warning', '', line);
      },
      notice: (line) => {
        annotate('notice', '', line);
      },
      group: (title, work) => core.group(clean(title), work),
    },
    mask() {
      for (const form of secrets.forms) core.setSecret(form);
    },
    annotate,
    setOutputs(values) {
      // Without that file, @actions/core would fall back on a command that the runner has disabled.
      if ((environment['GITHUB_OUTPUT'] ?? '') === '') return;
      withRunnerFile(outputs, () => {
        for (const [name, value] of Object.entries(values)) {
          core.setOutput(name, ownOutputs.has(name) ? value : clean(value));
        }
      });
    },
    summaryRoom() {
      if (summaryFile === '') return undefined;
      const written = withRunnerFile(summary, () => statSync(summaryFile, { throwIfNoEntry: false })?.size ?? 0);
      return maximumSummaryBytes - written;
    },
    appendSummary: (markdown) =>
      withRunnerFileAsync(summary, async () => {
        await core.summary.addRaw(secrets.redact(markdown)).write();
      }),
  };
}

/**
 * Defuses lines that the runner would take for workflow commands: texts from services, files and commits are printed
 * too, and a line that starts with `::` could set outputs or stop the masking.
 */
export function harmless(text: string): string {
  return text
    .split(/\r\n|\r|\n/u)
    .map((line) => line.replace(indentedCommand, '$1: ').replaceAll('##[', '## ['))
    .join('\n');
}

// The runner (.NET) trims NEL (U+0085) as white space; JavaScript's `\s` does not include it.
const indentedCommand = /^([\s\u0085]*):(?=:)/u;
