// Parses the package and version of the package commands.

import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { UsageError } from '../io/usage-error.ts';
import { notAPackageName } from '../text/name-and-version.ts';

export interface VersionArgument {
  readonly name: PackageName;
  readonly version: string;
}

export function parseVersionArgument([text = '', version = '']: readonly string[]): VersionArgument {
  return { name: parsePackageArgument(text), version };
}

export function parsePackageArgument(text: string): PackageName {
  const name = parsePackageName(text.toLowerCase());
  if (name === undefined) throw new UsageError(notAPackageName(text));
  return name;
}
