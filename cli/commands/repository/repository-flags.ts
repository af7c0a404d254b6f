// Parses the flags of `repository add` and `repository update`, from text and files to a registration.

import { resolve } from 'node:path';

import type { RepositoryCredentials } from '../../../proxy/sync/credentials.ts';
import type { RepositoryDraft, RepositoryPatch } from '../../../proxy/sync/repositories.ts';
import type { RepositoryFilters, RepositoryType } from '../../../proxy/sync/repository.ts';
import type { Removable } from './removable-fields.ts';
import { intervalOf } from '../../io/interval-flag.ts';
import { firstLine, secretIn } from '../../io/secret-file.ts';
import { UsageError } from '../../io/usage-error.ts';

type Flags = Readonly<Record<string, unknown>>;

/** Throws UsageError. */
export function repositoryDraft(place: string, flags: Flags, workingDirectory: string): RepositoryDraft {
  const type = (flags['type'] ?? 'git') as RepositoryType;
  const url = type === 'directory' || type === 'artifact' ? resolve(workingDirectory, place) : place;
  const credentials = credentialsOf(flags, workingDirectory);
  return {
    type,
    url,
    filters: filtersOf(flags),
    interval: intervalOf('--interval', flags['interval']) ?? null,
    ...(credentials === undefined ? {} : { credentials }),
  };
}

/** Throws UsageError. */
export function repositoryPatch(flags: Flags, workingDirectory: string): RepositoryPatch {
  const without = (flags['without'] ?? []) as readonly Removable[];
  const given: Readonly<Record<string, unknown>> = {
    credentials: credentialsOf(flags, workingDirectory),
    interval: intervalOf('--interval', flags['interval']),
    ...filtersOf(flags),
  };
  const twice = without.find((name) => given[fieldOf[name]] !== undefined);
  if (twice !== undefined)
    throw new UsageError(`--without ${twice} removes a value that another flag sets. Use one of them.`);
  const changed = Object.entries({
    ...given,
    ...Object.fromEntries(without.map((name) => [fieldOf[name], null])),
  }).filter(([, value]) => value !== undefined);
  if (changed.length === 0)
    throw new UsageError(
      'Nothing to change was given. Name at least one flag of those that `libretto repository update --help` shows.',
    );
  const { credentials, interval, ...filters } = Object.fromEntries(changed);
  return {
    ...(credentials === undefined ? {} : { credentials }),
    ...(interval === undefined ? {} : { interval }),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  } as RepositoryPatch;
}

const fieldOf: Readonly<Record<Removable, 'credentials' | 'interval' | keyof RepositoryFilters>> = {
  credentials: 'credentials',
  interval: 'interval',
  only: 'only',
  except: 'except',
  versions: 'versions',
  'minimum-stability': 'minimum-stability',
  tag: 'tags',
  branch: 'branches',
  subdirectory: 'subdirectories',
  package: 'packages',
};

function filtersOf({
  only,
  except,
  versions,
  minimumStability,
  tag,
  branch,
  subdirectory,
  package: ahead,
}: Flags): RepositoryFilters {
  const given = {
    only,
    except,
    versions,
    'minimum-stability': minimumStability,
    tags: tag,
    branches: branch,
    subdirectories: subdirectory,
    packages: ahead === undefined ? undefined : packagesOf(ahead as readonly string[]),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as RepositoryFilters;
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
function credentialsOf(
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
