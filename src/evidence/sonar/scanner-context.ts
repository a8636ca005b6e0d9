/** The start of the section with the scan's own properties; the settings of the server and the modules follow. */
const section = 'Project scanner properties:';
const nextSection = 'Scanner properties of module: ';
const property = '  - sonar.scm.revision=';

/**
 * Reads the revision that was set manually for the scan from the scanner context: a text that every scanner sends, with
 * the properties of the scan as lines `  - key=value` (Sonar's `AnalysisContextReportPublisher`). `sonar.scm.revision`
 * takes precedence over the revision that the scanner detects, which is not in this text.
 *
 * A value may span lines, so a line may be part of another property. Undefined unless the section and the property
 * occur exactly once.
 */
export function revisionFromScannerContext(context: string): string | undefined {
  const lines = context.split(/\r?\n/u);
  const start = lines.indexOf(section);
  if (start < 0 || lines.includes(section, start + 1)) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith(nextSection));
  const own = end < 0 ? rest : rest.slice(0, end);
  const [revision = '', ...others] = own
    .filter((line) => line.startsWith(property))
    .map((line) => line.slice(property.length).trim());
  return isRevision(revision) && others.length === 0 ? revision : undefined;
}

/** No version control system has revisions with white space, and other texts must not get into the log. */
function isRevision(text: string): boolean {
  return /^[\x21-\x7E]{1,255}$/u.test(text);
}
