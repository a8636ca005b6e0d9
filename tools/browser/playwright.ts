import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findBrowser, noBrowser } from './find-browser.ts';
import { browserPackages } from './packages.ts';

// The part of Playwright that is used here. Its package has types, but is not installed when the sources are checked.

/** A message of a page on the console. */
export interface ConsoleMessage {
  type(): string;
  text(): string;
}

/** An element that may or may not exist. */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  or(other: Locator): Locator;
  allInnerTexts(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
}

/** The answer to a navigation. */
export interface PageResponse {
  status(): number;
  body(): Promise<Buffer>;
}

/** A tab of the browser. */
export interface BrowserPage {
  goto(url: string): Promise<PageResponse | null>;
  url(): string;
  waitForURL(url: RegExp): Promise<void>;
  title(): Promise<string>;
  content(): Promise<string>;
  innerText(selector: string): Promise<string>;
  evaluate(script: string): Promise<unknown>;
  locator(selector: string): Locator;
  getByRole(role: string, options: { readonly name: string | RegExp; readonly exact?: boolean }): Locator;
  getByLabel(text: string): Locator;
  readonly keyboard: { press(key: string): Promise<void> };
  emulateMedia(options: {
    readonly colorScheme?: 'light' | 'dark';
    readonly media?: 'screen' | 'print';
  }): Promise<void>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<Buffer>;
  on(event: 'console', listener: (message: ConsoleMessage) => void): unknown;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
  on(event: 'response', listener: (response: PageResponse) => void): unknown;
  close(): Promise<void>;
}

/** Settings of a context. */
export interface ContextOptions {
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

/** Tabs that share cookies, and share them with no other context. */
export interface BrowserContext {
  newPage(): Promise<BrowserPage>;
  cookies(): Promise<readonly { readonly name: string; readonly httpOnly: boolean; readonly sameSite: string }[]>;
  close(): Promise<void>;
}

/** A running browser. */
export interface Browser {
  newContext(options?: ContextOptions): Promise<BrowserContext>;
  version(): string;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { readonly executablePath: string; readonly args: readonly string[] }): Promise<Browser>;
  };
}

function isPlaywright(value: unknown): value is Playwright {
  return typeof value === 'object' && value !== null && 'chromium' in value;
}

const load = createRequire(join(browserPackages.folder, 'package.json'));

/**
 * Starts the browser of this machine. The caller must close it.
 *
 * @throws Error if there is none, or the packages are not installed.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(noBrowser);
  const playwright: unknown = load('playwright-core');
  if (!isPlaywright(playwright)) throw new TypeError('playwright-core has no `chromium`');
  // The sandbox of the browser does not work for root, as which containers run.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return playwright.chromium.launch({ executablePath, args });
}

/** The source of axe, which checks a page for accessibility when it is evaluated there. */
export function readAxe(): string {
  return readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8');
}
