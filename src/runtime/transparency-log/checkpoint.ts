/** Checkpoints as signed notes, as the C2SP specifications tlog-checkpoint and signed-note define them. */

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export interface Checkpoint extends TreeHead {
  /** The URL of the log without the scheme. */
  readonly origin: string;
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: string; readonly signature: Uint8Array }[];
}

/** The path of a log. Its origin ends with it. */
const toLogPath = (org: string): string => `/log/${encodeURIComponent(org)}`;

/** The origin of a log: its URL without the scheme, which is also the name of its keys. */
export const toLogOrigin = (service: string, org: string): string =>
  service.replace(/^https?:\/\//u, '') + toLogPath(org);

/** The maximum length of a checkpoint in characters. One with 16 signatures is shorter. */
export const maximumCheckpointLength = 10_000;

const signatureLine = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/u;

/**
 * Reads a checkpoint; undefined if the text is not one. Its signatures are not verified. White space after the last one
 * is accepted, because shells and outputs of steps add and remove line breaks.
 */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const note = text.trimEnd();
  const end = note.lastIndexOf('\n\n');
  const signed = note.slice(0, end + 1);
  const [origin = '', size = '', base64 = ''] = signed.split('\n');
  const root = Buffer.from(base64, 'base64');
  const lines = note.slice(end + 2).split('\n');
  const signatures = lines.map((line) => {
    const [, name = '', signed = ''] = signatureLine.exec(line) ?? [];
    const bytes = Buffer.from(signed, 'base64');
    return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
  });
  const isValid =
    text.length <= maximumCheckpointLength &&
    /^[^\s+]+$/u.test(origin) &&
    /^(?:0|[1-9]\d{0,14})$/u.test(size) &&
    root.length === 32;
  if (!isValid || signatures.some(({ name }) => name === '')) return undefined;
  return { origin, size: Number(size), root, text: signed, signatures };
}

/** Whether a checkpoint belongs to the log of an organization, on any service. */
export const isLogOf = ({ origin }: Checkpoint, org: string): boolean => origin.endsWith(toLogPath(org));
