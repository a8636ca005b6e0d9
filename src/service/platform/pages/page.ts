import type { PagePaths } from '../page-paths.ts';
import type { Html } from './html.ts';

/** A section of an organization, as the navigation names it. */
export type Section = 'overview' | 'flows' | 'environments' | 'policies' | 'administration' | 'search';

/** A page, without what all pages have in common. */
export interface Page {
  readonly title: string;
  /** What kind of thing the title names, shown before it: `Trail`. */
  readonly kind?: string | undefined;
  /** The pages above this one. The home page and the organization are added. */
  readonly crumbs?: readonly { readonly name: string; readonly path: string }[] | undefined;
  readonly section?: Section | undefined;
  /** The API requests that give the same data (`apiRequest`). */
  readonly api?: readonly string[] | undefined;
  readonly content: Html;
  /** Whether it takes the whole width of the window. */
  readonly isWide?: boolean | undefined;
  /** Default: 200. */
  readonly status?: number | undefined;
}

export interface Viewer {
  /** The name, as records show it (`actorName`). */
  readonly name: string;
  /** Whether the viewer has the role admin in the organization of the page; false if the page has none. */
  readonly isAdmin: boolean;
  /** Whether the key is limited to some flows and environments, so that pages leave out the names of others. */
  readonly isLimited: boolean;
  /** The token that the forms of the page must contain; undefined if there is no session, which forms require. */
  readonly formToken: string | undefined;
}

export interface PageContext {
  readonly paths: PagePaths;
  /** In Unix seconds; times are shown relative to it. */
  readonly now: number;
  readonly org: string | undefined;
  /** Undefined without a session. */
  readonly viewer: Viewer | undefined;
  readonly apiBase: string;
}
