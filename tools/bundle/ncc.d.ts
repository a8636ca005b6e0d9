// The part of ncc's API that is used here (its readme, "Programmatically From Node.js").
declare module '@vercel/ncc' {
  export interface NccOptions {
    readonly cache?: false;
    readonly quiet?: boolean;
    /** Whether the bundle is an ES module. Default: as the nearest package.json says. */
    readonly esm?: boolean;
    /** Does not check types. */
    readonly transpileOnly?: boolean;
    /** Modules that are not bundled: what `require` asks for, and what replaces it. */
    readonly externals?: Readonly<Record<string, string>>;
  }

  export interface NccModule {
    readonly identifier?: string;
    /** The modules that were joined with this one. */
    readonly modules?: readonly NccModule[];
  }

  export interface NccChunk {
    readonly id?: number | string;
    readonly files?: readonly string[];
    /** The import that needs it. */
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
