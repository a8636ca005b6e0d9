/** The template item that stands for the artifact itself; clients add it to every template. */
export const artifactItem = 'artifact';

/**
 * The names of the evidence that a flow's template requires of each artifact, each once, in the template's order. The
 * template of operation 1 is a list of names, and one item may contain several names separated by commas (interface,
 * Flow). The item `artifact` requires nothing more: any artifact that is looked at was reported.
 */
export function requiredEvidence(template: readonly string[]): readonly string[] {
  const names = template.flatMap((item) => item.split(',')).filter((name) => name !== '' && name !== artifactItem);
  return [...new Set(names)];
}
