// Parses the flags of `repository add` and `repository update`, from text and files to a registration.

import { resolve } from 'node:path';

import type { RepositoryCredentials } from '../../../proxy/sync/credentials.ts';
import type { RepositoryType } from '../../../proxy/sync/repository.ts';
import type {
  FilterFields,
  RepositoryDraftFields,
  RepositoryPatchFields,
} from '../../../proxy/sync/repository-schema.ts';
import type { Removable } from './removable-fields.ts';
import { intervalOf } from '../../io/interval-flag.ts';
import { firstLine, secretIn } from '../../io/secret-file.ts';
import { UsageError } from '../../io/usage-error.ts';

type Flags = Readonly<Record<string, unknown>>;

/** `isHere`: the registry is on this machine, so that a folder may be relative. Throws UsageError. */
export function repositoryDraft(
  place: string,
  flags: Flags,
  workingDirectory: string,
  isHere: boolean,
): RepositoryDraftFields {
  const type = (flags['type'] ?? 'git') as RepositoryType;
  const isFolder = type === 'directory' || type === 'artifact';
  return {
    type,
    url: isFolder && isHere ? resolve(workingDirectory, place) : place,
    ...filtersOf(flags),
    interval: intervalOf('--interval', flags['interval']),
    credentials: credentialsOf(flags, workingDirectory),
  };
}

/** Throws UsageError. */
export function repositoryPatch(flags: Flags, workingDirectory: string): RepositoryPatchFields {
  const without = (flags['without'] ?? []) as readonly Removable[];
  const given: RepositoryPatchFields = {
    credentials: credentialsOf(flags, workingDirectory),
    interval: intervalOf('--interval', flags['interval']),
    ...filtersOf(flags),
  };
  const twice = without.find((name) => given[fieldOf[name]] !== undefined);
  if (twice !== undefined)
    throw new UsageError(`--without ${twice} removes a value that another flag sets. Use one of them.`);
  if (without.length === 0 && Object.values(given).every((value) => value === undefined))
    throw new UsageError(
      'Nothing to change was given. Name at least one flag of those that `libretto repository update --help` shows.',
    );
  return { ...given, ...Object.fromEntries(without.map((name) => [fieldOf[name], null])) };
}

const fieldOf: Readonly<Record<Removable, keyof RepositoryPatchFields>> = {
  credentials: 'credentials',
  interval: 'interval',
  only: 'only',
  except: 'except',
  versions: 'versions',
  'minimum-stability': 'minimum_stability',
  tag: 'tags',
  branch: 'branches',
  subdirectory: 'subdirectories',
  package: 'packages',
};

function filtersOf({ only, except, versions, tag, branch, ...others }: Flags): Partial<FilterFields> {
  const { minimumStability, subdirectory, package: ahead } = others;
  return {
    only,
    except,
    versions,
    minimum_stability: minimumStability,
    tags: tag,
    branches: branch,
    subdirectories: subdirectory,
    packages: ahead === undefined ? undefined : packagesOf(ahead as readonly string[]),
  } as Partial<FilterFields>;
}

/** `acme/tool:^1.0`, or a name alone for all its versions. */
function packagesOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', ...constraint] = text.split(':');
      return [name, constraint.length === 0 ? '*' : constraint.join(':')];
    }),
  );
}

/** A secret is read from a file or standard input, because every user of this machine can see a command line. */
export function credentialsOf(
  { username, passwordFile, tokenFile, header, keyFile }: Flags,
  workingDirectory: string,
): RepositoryCredentials | undefined {
  const given = [passwordFile, tokenFile, keyFile].filter((file) => file !== undefined);
  if (given.length > 1) throw new UsageError('Use only one of --password-file, --token-file and --key-file.');
  if (username !== undefined && passwordFile === undefined) throw new UsageError('--username needs --password-file.');
  if (header !== undefined && tokenFile === undefined) throw new UsageError('--header needs --token-file.');
  if (passwordFile !== undefined)
    return {
      ...(username === undefined ? {} : { username: String(username) }),
      password: firstLine(secretIn(passwordFile, workingDirectory)),
    };
  if (tokenFile !== undefined)
    return {
      ...(header === undefined ? {} : { header: String(header) }),
      token: firstLine(secretIn(tokenFile, workingDirectory)),
    };
  return keyFile === undefined ? undefined : { private_key: secretIn(keyFile, workingDirectory) };
}
