import { stylesheet } from '../platform/pages/assets.ts';
import { type BadgeState, clip, pageLink, renderBadge, renderFacts } from '../platform/pages/components.ts';
import { type Hole, Html, html } from '../platform/pages/html.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { PackageSubject } from './audit-package.ts';

/** The path of the package below a page. */
const packagePath = (page: string): string => `${page}/audit-package`;

export const renderPackageLink = (page: string): Html => pageLink(packagePath(page), 'Download (ZIP)');

export const renderPackageForm = (page: string): Html =>
  html`<h2>Audit package</h2>
    <form class="filters" method="get" action="${packagePath(page)}">
      <label>From (UTC) <input type="date" name="from" /></label>
      <label>To <input type="date" name="to" /></label>
      <button>Download (ZIP)</button>
    </form>`;

export interface IndexedRecord {
  readonly kind: string;
  readonly title: string;
  /** Undefined if its document is withheld. */
  readonly path: string | undefined;
  /** The number of its entry; undefined if it has none. */
  readonly sequence: number | undefined;
  readonly isLate: boolean | undefined;
}

export interface IndexedVerdict {
  readonly title: string;
  readonly state: BadgeState;
  /** The verdict and the reasons for it, as sentences. */
  readonly info: string;
  readonly path: string;
}

export interface PackageIndex {
  readonly subject: PackageSubject;
  readonly org: string;
  /** In Unix seconds. */
  readonly at: number;
  readonly by: string;
  readonly checkpoint: string;
  readonly verdicts: readonly IndexedVerdict[];
  readonly records: readonly IndexedRecord[];
  readonly total: number;
  readonly problems: readonly string[];
}

/** Renders the page that explains a package, which needs no other file and runs no scripts. */
export function renderIndex(index: PackageIndex): string {
  const { subject, org, at, by, checkpoint, verdicts, records, total, problems } = index;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Audit package · ${describeSubject(subject)} · ${org}</title>
        <style>
          ${new Html(stylesheet.content)}
        </style>
      </head>
      <body>
        <main>
          <h1><small>Audit package</small> ${describeSubject(subject)}</h1>
          ${renderFacts([
            ['Organization', org],
            ['Time span', describeSpan(subject)],
            ['Made', `${toTime(at)}, for ${by}`],
            ['Records', String(total)],
            ['Checkpoint', html`<pre>${checkpoint}</pre>`],
          ])}
          <h2>What is wrong or missing</h2>
          ${problems.length === 0 ? html`<p>Nothing was found.</p>` : renderProblems(problems)}
          <h2>Verdicts</h2>
          ${renderVerdicts(verdicts)}
          <h2>Records</h2>
          ${renderRecords(records, total)} ${renderSteps()}
        </main>
      </body>
    </html> `;
  return page.text;
}

function describeSubject(subject: PackageSubject): string {
  switch (subject.kind) {
    case 'trail':
      return `Trail ${subject.trail} of flow ${subject.flow}`;
    case 'artifact':
      return `Artifact ${subject.fingerprint} in flow ${subject.flow}`;
    case 'flow':
      return `Flow ${subject.flow}`;
    case 'environment':
      return `Environment ${subject.environment}`;
  }
}

function describeSpan(subject: PackageSubject): string | undefined {
  if (subject.kind !== 'flow' && subject.kind !== 'environment') return undefined;
  const { from, to } = subject;
  if (from === undefined && to === undefined) return 'everything';
  return `${from === undefined ? 'the beginning' : toTime(from)} to ${to === undefined ? 'now' : toTime(to)}`;
}

const toTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

const renderProblems = (problems: readonly string[]): Html =>
  html`<ul>
      ${problems.slice(0, 500).map((problem) => html`<li>${clip(problem, 1000)}</li>`)}
    </ul>
    <p>All of them are in <code>about.json</code>.</p>`;

/** A table has all rows that it is given. */
const unlimited = { maximumBytes: Infinity };

const renderVerdicts = (verdicts: readonly IndexedVerdict[]): Html =>
  renderTable({
    ...unlimited,
    label: 'Verdicts',
    columns: ['About', 'State', 'Why', 'File'],
    rows: verdicts.map(({ title, state, info, path }): readonly Hole[] => [
      clip(title, 200),
      renderBadge(state),
      clip(info, 4000),
      html`<a href="${path}">${path}</a>`,
    ]),
    empty: 'There is no verdict.',
  });

function renderRecords(records: readonly IndexedRecord[], total: number): Html {
  const table = renderTable({
    ...unlimited,
    label: 'Records',
    columns: ['Record', 'Kind', 'Entry of the log', 'File'],
    rows: records.map((record): readonly Hole[] => [
      clip(record.title, 200),
      record.kind,
      describeEntry(record),
      record.path === undefined
        ? 'withheld: it names flows or environments that this key may not read'
        : html`<a href="${record.path}">${record.path}</a>`,
    ]),
    empty: 'There are no records.',
  });
  const left = total - records.length;
  return html`${table} ${left === 0 ? undefined : html`<p>${left} more are in the folder <code>records</code>.</p>`}`;
}

function describeEntry({ sequence, isLate = false }: IndexedRecord): string {
  if (sequence === undefined) return 'older than the log, and not entered yet';
  return isLate ? `${sequence}, entered later: it is older than the log` : String(sequence);
}

const renderSteps = (): Html =>
  html`<h2>How to check this package</h2>
    <ol>
      <li>Unpack it, and run <code>sha256sum --check --quiet MANIFEST</code> in its folder: no file was damaged.</li>
      <li>
        Get the verifier key from the operator of the service in another way, and compare it with
        <code>verifier-key</code>. It is in the form of C2SP; <code>verifier-key.pem</code> is the same key.
      </li>
      <li>
        Check that the key signed <code>checkpoint</code>, a signed note. Each line of the files in
        <code>proofs</code> has the line of a record's entry in the log (<code>entry</code>), and the proof that the
        checkpoint includes it (<code>proof</code>, the content of a <code>.tlog-proof</code>). Its
        <code>document</code> is the SHA-256 of the 16 bytes in <code>random</code> (in hex) and the record's file. Its
        <code>attachment</code> is the SHA-256 of the attached file, which is also the name of that file.
      </li>
    </ol>
    <p>
      The program <code>main.go</code> in <code>tools/log-verifier</code> of the service's source does all of this with
      the libraries of Go's checksum database. The page <code>docs/audit.md</code> there explains the log.
    </p>
    <h2>What this package does not prove</h2>
    <ul>
      <li>
        That it is complete. Attestations and artifacts of a flow, and the snapshots of an environment, are numbered
        from 1 (<code>sequence</code>, <code>number</code>): a gap in the package of a whole flow or environment shows
        that one was left out. Other packages always have gaps.
      </li>
      <li>
        That a verdict is right: verdicts follow from the records by the rules that the service documents. Only those in
        the documents of environment reports are in the log. The others are from the time when this package was made.
      </li>
      <li>That a record is true, and that nothing was rewritten before a checkpoint that you kept yourself.</li>
    </ul>`;
