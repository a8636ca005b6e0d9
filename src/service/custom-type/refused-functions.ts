/** What rules must not use: data from elsewhere, the clock and the time zone, modules, and what ends jq. */
const refused = [
  ...['env', 'input', 'inputs', 'input_filename', 'input_line_number', 'now', 'localtime', 'strflocaltime(f)'],
  ...['halt', 'halt_error', 'halt_error(f)', 'get_search_list', 'get_jq_origin', 'get_prog_origin', 'modulemeta'],
];

const refusal = (name: string): string => `${name} is not available in rules`;

/** Replaces the functions that rules must not use. Stands before a rule, on a line of its own. */
export const prelude = refused
  .map((name) => `def ${name}: ${JSON.stringify(refusal(name.replace('(f)', '')))} | error;`)
  .join(' ');

/**
 * Checks that an expression uses nothing that rules must not use. `import` and `include` are syntax errors after the
 * prelude.
 *
 * @param code the code that jq made of the prelude and the expression; it contains only the functions that are used
 * @throws Error if it does
 */
export function checkUse(expression: string, code: string): void {
  const variable = /\$\s*(?:ENV|__prog_args)\b/u.exec(expression);
  if (variable !== null) throw new Error(refusal(variable[0]));
  const used = refused
    .map((name) => refusal(name.replace('(f)', '')))
    .find((words) => code.includes(JSON.stringify(words)));
  if (used !== undefined) throw new Error(used);
}
