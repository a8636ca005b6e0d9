// The programming interface of ncc, as far as it is used here (its readme, "Programmatically From Node.js").
declare module '@vercel/ncc' {
  export interface NccOptions {
    readonly cache?: false;
    readonly quiet?: boolean;
    /** Whether the bundle is an ES module; without it, what the nearest package.json says. */
    readonly esm?: boolean;
    /** Leaves checking types to the compiler. */
    readonly transpileOnly?: boolean;
    /** What is not bundled: the text in `require`, and the text that takes its place. */
    readonly externals?: Readonly<Record<string, string>>;
  }

  export interface NccModule {
    readonly identifier?: string;
    /** The modules that became one with this. */
    readonly modules?: readonly NccModule[];
  }

  export interface NccChunk {
    readonly id?: number | string;
    readonly files?: readonly string[];
    /** What asks for it. */
    readonly origins?: readonly { readonly request?: string }[];
  }

  export interface NccResult {
    readonly code: string;
    readonly assets: Readonly<Record<string, { readonly source: string | Uint8Array }>>;
    readonly stats: {
      toJson(options: Readonly<Record<string, unknown>>): {
        readonly modules?: readonly NccModule[];
        readonly chunks?: readonly NccChunk[];
      };
    };
  }

  export default function ncc(entry: string, options: NccOptions): Promise<NccResult>;
}
