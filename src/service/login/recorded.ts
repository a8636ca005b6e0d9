import type { Proven } from '../../contract/proven.ts';

/**
 * A document as it was sent, with what the identity token of its sender proved; undefined if the sender used a stored
 * key. A client cannot send this field itself, because documents with unknown fields are rejected.
 */
export type Recorded<Document> = Document & { readonly proven?: Proven | undefined };
