import { appendFileSync, statSync } from 'node:fs';
import { issueCommand } from '@actions/core/lib/command.js';
import type { Log } from '../../runtime/log.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { AnnotationLevel } from '../run/gate.ts';
import { printable } from './escape.ts';
import { outputLines } from './output-lines.ts';
import { withRunnerFile, type RunnerFile } from '../../runtime/runner-file.ts';
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
  appendSummary(markdown: string): void;
}

const outputs: RunnerFile = { variable: 'GITHUB_OUTPUT', holds: "the step's outputs" };
const summary: RunnerFile = { variable: 'GITHUB_STEP_SUMMARY', holds: 'the job summary' };

/**
 * The outputs that are not redacted: fixed words, a number, and the path of a file named by the step. They cannot
 * contain a secret, and replacing a secret of a few characters in them would break the conditions of later steps.
 */
const ownOutputs: ReadonlySet<string> = new Set(['outcome', 'compliant', 'count', 'response-path']);

/** GitHub's limit for the summary of one step, in bytes. */
const maximumSummaryBytes = 1024 * 1024;

/** The runner that started this process. */
export function githubRunner(environment: EnvironmentVariables, secrets: Secrets): Runner {
  // Every foreign text in the log, an annotation or an output passes through here.
  const clean = (text: string): string => printable(secrets.redact(text));
  const print = (line: string): void => {
    process.stdout.write(`${harmless(clean(line))}\n`);
  };
  const annotate = (level: AnnotationLevel, title: string, message: string): void => {
    issueCommand(level, title === '' ? {} : { title: clean(title) }, clean(message));
  };
  const summaryFile = environment['GITHUB_STEP_SUMMARY'] ?? '';
  return {
    log: {
      debug: (line) => {
        issueCommand('debug', {}, clean(line));
      },
      info: print,
      warning: (line) => {
        annotate('warning', '', line);
      },
      notice: (line) => {
        annotate('notice', '', line);
      },
      async group(title, work) {
        issueCommand('group', {}, clean(title));
        try {
          return await work();
        } finally {
          issueCommand('endgroup', {}, '');
        }
      },
    },
    mask() {
      for (const form of secrets.forms) issueCommand('add-mask', {}, form);
    },
    annotate,
    setOutputs(values) {
      const file = environment['GITHUB_OUTPUT'] ?? '';
      if (file === '') return;
      const safe = Object.entries(values).map(
        ([name, value]) => [name, ownOutputs.has(name) ? value : clean(value)] as const,
      );
      withRunnerFile(outputs, () => {
        appendFileSync(file, outputLines(Object.fromEntries(safe)), 'utf8');
      });
    },
    summaryRoom() {
      if (summaryFile === '') return undefined;
      const written = withRunnerFile(summary, () => statSync(summaryFile, { throwIfNoEntry: false })?.size ?? 0);
      return maximumSummaryBytes - written;
    },
    appendSummary(markdown) {
      withRunnerFile(summary, () => {
        appendFileSync(summaryFile, secrets.redact(markdown), 'utf8');
      });
    },
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
