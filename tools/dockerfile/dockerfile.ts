/** A stage of a Dockerfile. */
export interface Stage {
  /** Its name, after `AS`; undefined for a stage without one. */
  readonly name: string | undefined;
  /** The image or stage after `FROM`. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** An instruction: `USER 1000:1000`. */
export interface Instruction {
  /** In capitals. */
  readonly name: string;
  /** What follows the name; lines that the file continues are joined. */
  readonly text: string;
}

/** A `COPY` of a stage. */
export interface Copy {
  /** The stage that the files come from; undefined for the folder that the image is built from. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/**
 * Parses a Dockerfile, as far as this project uses its syntax: no escape directive, no here-documents, and no arguments
 * before the first `FROM`.
 *
 * @throws Error if an instruction stands before the first stage.
 */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructionsOf(text)) {
    const stage = stages.at(-1);
    if (instruction.name === 'FROM') stages.push({ ...parseFrom(instruction.text), instructions: [] });
    else if (stage === undefined) throw new Error(`${instruction.name} stands before the first FROM`);
    else stage.instructions.push(instruction);
  }
  return stages;
}

/** The last stage: the image that is built. */
export function finalStage(stages: readonly Stage[]): Stage {
  const stage = stages.at(-1);
  if (stage === undefined) throw new Error('the Dockerfile has no FROM');
  return stage;
}

export function textsOf({ instructions }: Stage, name: string): readonly string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** What a stage copies, in order. */
export function copiesOf(stage: Stage): readonly Copy[] {
  return textsOf(stage, 'COPY').map((text) => {
    const words = text.split(' ');
    const flags = words.filter((word) => word.startsWith('--'));
    const paths = words.filter((word) => !word.startsWith('--'));
    const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
    return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
  });
}

/** The environment variables that a stage sets; their values have no spaces and no quotes. */
export function variablesOf(stage: Stage): ReadonlyMap<string, string> {
  const pairs = textsOf(stage, 'ENV').flatMap((text) => text.split(' '));
  return new Map(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/u);
      return [name, value];
    }),
  );
}

/**
 * The program and arguments of an `ENTRYPOINT` or `HEALTHCHECK`.
 *
 * @throws Error if there is none, or if it is not in the form of a JSON list, which runs without a shell.
 */
export function commandOf(stage: Stage, name: 'ENTRYPOINT' | 'HEALTHCHECK'): readonly string[] {
  const list = /\[.*\]$/u.exec(textsOf(stage, name).at(-1) ?? '')?.[0] ?? 'null';
  const words: unknown = JSON.parse(list);
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw new Error(`the Dockerfile has no ${name} in the form of a JSON list`);
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  const joined = lines.join('\n').replaceAll(/\s*\\\n\s*/gu, ' ');
  return joined.split('\n').map((line) => {
    const [name = '', rest = ''] = line.trim().split(/ (.*)/u);
    return { name: name.toUpperCase(), text: rest.trim() };
  });
}

function parseFrom(text: string): Pick<Stage, 'name' | 'base'> {
  const [base = '', , name] = text.split(' ');
  return { name, base };
}
