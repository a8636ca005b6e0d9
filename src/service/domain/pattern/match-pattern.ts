import { parsePattern, PatternFault, type CharacterSet, type PatternNode } from './parse-pattern.ts';

/** Whether a text has the pattern anywhere in it. */
export type Matches = (text: string) => boolean;

/** What a matcher does at one place of its program. */
type Step =
  | { readonly kind: 'character'; readonly has: CharacterSet }
  /** Goes on at both places; places are filled in once they are known. */
  | { readonly kind: 'fork'; places: readonly number[] }
  | { readonly kind: 'start' | 'end' | 'found' };

// In steps. Time to match grows with this number times the length of the text, and not faster.
const longestProgram = 500;

/** The longest text that can match, in UTF-16 code units; a longer one matches nothing. No image has so long a name. */
export const longestSubject = 512;

/**
 * Makes a matcher of a pattern. Unlike JavaScript's own, it takes time proportional to the text, whatever the pattern is
 * (Thompson's construction: it is at all places of the program at once, and goes back over nothing), because patterns come
 * from outside and are matched while others wait.
 *
 * @throws PatternFault
 */
export function compilePattern(text: string): Matches {
  const program: Step[] = [];
  const budget = { left: longestProgram };
  emit(parsePattern(text), program, budget);
  program.push({ kind: 'found' });
  return (subject) => subject.length <= longestSubject && search(program, subject);
}

/** Appends the steps of the node; each ends at the place after its last step. */
function emit(node: PatternNode, program: Step[], budget: { left: number }): void {
  // Spent on nodes and not on steps, because a node that is repeated can have none.
  budget.left -= 1;
  if (budget.left < 0) throw new PatternFault('repeats too much');
  switch (node.kind) {
    case 'set':
      program.push({ kind: 'character', has: node.has });
      break;
    case 'sequence':
      for (const item of node.items) emit(item, program, budget);
      break;
    case 'either':
      emitChoices(node.choices, program, budget);
      break;
    case 'repeat':
      emitRepetition(node, program, budget);
      break;
    case 'start':
    case 'end':
      program.push({ kind: node.kind });
      break;
  }
}

function emitChoices(choices: readonly PatternNode[], program: Step[], budget: { left: number }): void {
  const begin = addFork(program);
  const places: number[] = [];
  const ends: { places: readonly number[] }[] = [];
  for (const choice of choices) {
    places.push(program.length);
    emit(choice, program, budget);
    ends.push(addFork(program));
  }
  begin.places = places;
  for (const end of ends) end.places = [program.length];
}

type Repetition = Extract<PatternNode, { kind: 'repeat' }>;

function emitRepetition({ item, least, most }: Repetition, program: Step[], budget: { left: number }): void {
  for (let count = 0; count < least; count += 1) emit(item, program, budget);
  if (most === Infinity) {
    const place = program.length;
    const loop = addFork(program);
    emit(item, program, budget);
    addFork(program).places = [place];
    loop.places = [place + 1, program.length];
    return;
  }
  const forks = Array.from({ length: most - least }, () => {
    const fork = addFork(program);
    const next = program.length;
    emit(item, program, budget);
    return { fork, next };
  });
  for (const { fork, next } of forks) fork.places = [next, program.length];
}

function addFork(program: Step[]): { kind: 'fork'; places: readonly number[] } {
  const fork: { kind: 'fork'; places: readonly number[] } = { kind: 'fork', places: [] };
  program.push(fork);
  return fork;
}

function search(program: readonly Step[], subject: string): boolean {
  const characters = Array.from(subject, (character) => character.codePointAt(0) ?? 0);
  let places: readonly number[] = [];
  for (let index = 0; ; index += 1) {
    // Beginning anew at every character finds the pattern anywhere.
    const position = { atStart: index === 0, atEnd: index === characters.length };
    const reached = follow(program, [...places, 0], position);
    if (reached === 'found') return true;
    const code = characters[index];
    if (code === undefined) return false;
    places = reached.filter((place) => takes(program[place], code)).map((place) => place + 1);
  }
}

function takes(step: Step | undefined, code: number): boolean {
  return step?.kind === 'character' && step.has(code);
}

/** Where in the text the matcher is. */
interface Position {
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

/** All places that are reached without a further character, each once; or that the pattern is found. */
function follow(program: readonly Step[], places: readonly number[], position: Position): readonly number[] | 'found' {
  const reached = new Set<number>();
  const open = [...places];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (reached.has(place)) continue;
    reached.add(place);
    const step = program[place];
    if (step?.kind === 'found') return 'found';
    open.push(...placesAfter(step, place, position));
  }
  return [...reached];
}

function placesAfter(step: Step | undefined, place: number, { atStart, atEnd }: Position): readonly number[] {
  switch (step?.kind) {
    case 'fork':
      return step.places;
    case 'start':
      return atStart ? [place + 1] : [];
    case 'end':
      return atEnd ? [place + 1] : [];
    default:
      return [];
  }
}
