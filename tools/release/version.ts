import { ReleaseError } from './release-error.ts';

/** A version by https://semver.org, without build metadata. */
export interface Version {
  /** As written: `1.2.3`, `2.0.0-rc.1`. */
  readonly text: string;
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly isPreRelease: boolean;
}

const number = String.raw`(0|[1-9]\d{0,8})`;
const identifier = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)`;
const pattern = new RegExp(String.raw`^${number}\.${number}\.${number}(-${identifier}(?:\.${identifier})*)?$`, 'u');

/** @throws ReleaseError if it is not a version, or has build metadata */
export function parseVersion(text: string): Version {
  const version = versionIn(text);
  if (version === undefined)
    throw new ReleaseError(
      `"${text}" is not a version. Give one like 1.2.3, or 1.2.3-rc.1 for a pre-release, without "v" and without "+".`,
    );
  return version;
}

/** The stable versions that these tags (`v1.2.3`) name. Other tags are left out. */
export function stableVersions(tags: readonly string[]): readonly Version[] {
  return tags
    .flatMap((tag) => (tag.startsWith('v') ? (versionIn(tag.slice(1)) ?? []) : []))
    .filter((version) => !version.isPreRelease);
}

/** Whether no stable version of the list is newer than this one, which must be stable to be the newest. */
export function isNewest(version: Version, stable: readonly Version[]): boolean {
  return !version.isPreRelease && stable.every((other) => compare(version, other) >= 0);
}

/** Whether no stable version of the same major version is newer, so that `vX` moves to this one. */
export function isNewestOfMajor(version: Version, stable: readonly Version[]): boolean {
  return isNewest(
    version,
    stable.filter((other) => other.numbers[0] === version.numbers[0]),
  );
}

function versionIn(text: string): Version | undefined {
  const [, major, minor, patch, preRelease] = pattern.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { text, numbers: [Number(major), Number(minor), Number(patch)], isPreRelease: preRelease !== undefined };
}

function compare(left: Version, right: Version): number {
  const [major, minor, patch] = left.numbers;
  return major - right.numbers[0] || minor - right.numbers[1] || patch - right.numbers[2];
}
