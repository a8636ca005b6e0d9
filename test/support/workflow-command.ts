/** A command that GitHub's runner reads from a step's output (its source, `ActionCommand.cs`). */
export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

// What .NET's `TrimStart` removes: Unicode spaces and separators, tab to carriage return, and NEL.
const white = '[\\p{Zs}\\p{Zl}\\p{Zp}\\u0009-\\u000D\\u0085]*';
const current = new RegExp(`^${white}::(?<rest>.*)$`, 'su');

/** The lines that the runner splits a step's output into, as .NET reads lines. */
export function linesOfRunner(output: string): readonly string[] {
  return output.split(/\r\n|\r|\n/u);
}

/** Whether the runner treats a line as a command: the current form at its start, or the old form anywhere. */
export function isWorkflowCommand(line: string): boolean {
  return current.test(line) || line.includes('##[');
}

/** The commands in a step's output, in order. */
export function commandsIn(output: string): readonly WorkflowCommand[] {
  return linesOfRunner(output).filter(isWorkflowCommand).map(parse);
}

/** The commands with this name in a step's output. */
export function commandsNamed(output: string, name: string): readonly WorkflowCommand[] {
  return commandsIn(output).filter((command) => command.name === name);
}

/** The lines of a step's output without commands, as people see them. */
export function shownLines(output: string): readonly string[] {
  return linesOfRunner(output).filter((line) => !isWorkflowCommand(line));
}

function parse(line: string): WorkflowCommand {
  const rest = current.exec(line)?.groups?.['rest'];
  if (rest === undefined) return { name: '##[', properties: {}, message: line };
  const end = rest.indexOf('::');
  const [name = '', ...properties] = rest.slice(0, end).split(/ (.*)/su);
  return { name, properties: parseProperties(properties[0] ?? ''), message: unescape(rest.slice(end + 2)) };
}

function parseProperties(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.includes('='))
      .map((pair) => {
        const [key = '', ...value] = pair.split('=');
        return [key, unescape(value.join('=').replaceAll('%3A', ':').replaceAll('%2C', ','))];
      }),
  );
}

function unescape(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
