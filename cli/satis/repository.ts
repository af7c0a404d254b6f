// One repository of a satis.json → one source of libretto.json. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { httpAddressFault } from '../../build/contract/address.ts';
import { isAddress, withoutPassword } from '../../build/sources/address-secrets.ts';
import { localPathOf, parseGitUrl } from '../../build/sources/git-url.ts';
import { isNamePattern } from '../../build/shared/patterns/package-pattern.ts';
import { lostOption } from './lost-option.ts';
import { optionIn, pathOptions, repositoryOptions } from './options.ts';
import type { Note } from './report.ts';

/** The paths of the satis.json. */
export interface SatisPaths {
  /** relative to the folder of libretto.json */
  readonly rebase: (path: string) => string;
  readonly exists: (path: string) => boolean;
}

const gitTypes: ReadonlySet<string> = new Set([
  'vcs',
  'git',
  'github',
  'gitlab',
  'bitbucket',
  'git-bitbucket',
  'forgejo',
]);
const foreignTypes: Readonly<Record<string, string>> = {
  svn: 'Only git repositories are read.',
  hg: 'Only git repositories are read.',
  'hg-bitbucket': 'Only git repositories are read.',
  fossil: 'Only git repositories are read.',
  perforce: 'Only git repositories are read.',
  pear: 'Composer no longer supports PEAR.',
};

/** undefined: the repository cannot be carried over, and `note` has the reason. `at`: `repositories[2]`. */
export function importRepository(
  repository: JsonValue,
  at: string,
  paths: SatisPaths,
  note: Note,
): JsonObject | undefined {
  if (!isJsonObject(repository)) {
    note(
      at,
      repository === false ? 'as-is' : 'not-carried',
      repository === false ? 'Libretto never reads a repository that is not listed.' : 'This is not a repository.',
    );
    return undefined;
  }
  const [only] = Object.values(repository);
  if (only === false && Object.keys(repository).length === 1) {
    note(at, 'as-is', 'Libretto never reads a repository that is not listed.');
    return undefined;
  }
  const place = placeOf(repository, at, paths, note);
  if (place === undefined) return undefined;
  const filters = {
    ...namesOf(repository['only'], 'only', `${at}.only`, note),
    ...namesOf(repository['exclude'], 'except', `${at}.exclude`, note),
  };
  for (const [option, value] of Object.entries(repository)) {
    if (['type', 'url', 'package', 'only', 'exclude'].includes(option) || value === undefined) continue;
    lostOption(
      `${at}.${option}`,
      value,
      option === 'options' && repository['type'] === 'path' ? pathOptions : optionIn(repositoryOptions, option),
      note,
    );
  }
  return { ...place, ...filters };
}

function placeOf(repository: JsonObject, at: string, paths: SatisPaths, note: Note): JsonObject | undefined {
  const { type, url } = repository;
  if (type === 'package') return packagesOf(repository['package'], at, paths, note);
  if (typeof type !== 'string' || typeof url !== 'string' || url.trim() === '') {
    note(at, 'not-carried', 'It has no type or no url.');
    return undefined;
  }
  if (gitTypes.has(type)) return gitPlace(url, at, paths, note);
  if (type === 'composer') return composerPlace(url, at, note);
  if (type === 'path') return folderPlace(url, at, paths, note);
  if (type === 'artifact') {
    if (isAddress(url)) return noFolder(at, note);
    note(at, 'carried', 'An artifact source.');
    return { type: 'artifact', path: paths.rebase(url) };
  }
  note(at, 'not-carried', optionIn(foreignTypes, type) ?? `Libretto has no sources of type ${type}.`);
  return undefined;
}

function gitPlace(url: string, at: string, paths: SatisPaths, note: Note): JsonObject | undefined {
  const local = isAddress(url) && !/^file:/i.test(url) ? undefined : localPathOf(url, paths.exists);
  if (local !== undefined) {
    note(at, 'carried', 'A git source by its path.');
    return { type: 'git', path: paths.rebase(local) };
  }
  const bare = withoutPassword(url);
  const parsed = parseGitUrl(bare);
  if ('refusal' in parsed) {
    note(`${at}.url`, 'not-carried', parsed.refusal);
    return undefined;
  }
  note(at, 'carried', 'A git source.');
  if (bare !== url)
    note(
      `${at}.url`,
      'not-carried',
      `The credentials in it were left out; ${bare} was carried over. Let git find them: a credential helper, ` +
        '~/.netrc, GIT_ASKPASS or an ssh key.',
    );
  return { type: 'git', url: parsed.url };
}

function composerPlace(url: string, at: string, note: Note): JsonObject | undefined {
  const bare = withoutPassword(url);
  const fault = httpAddressFault(bare);
  if (!/^https?:\/\/[^\s?#\\@]+$/.test(bare) || fault !== undefined) {
    note(
      `${at}.url`,
      'not-carried',
      fault === undefined ? 'It is not an http(s) address of a Composer repository.' : `The address ${fault}.`,
    );
    return undefined;
  }
  note(
    at,
    'carried',
    'A composer source: packages are fetched on their first request, and packages in "packages" by every ' +
      'build. Of the packages that Satis requires from it, only the names are kept, not the versions.',
  );
  if (bare !== url)
    note(
      `${at}.url`,
      'not-carried',
      `The credentials in it were left out; ${bare} was carried over. Give them in COMPOSER_AUTH.`,
    );
  return { type: 'composer', url: bare };
}

function noFolder(at: string, note: Note): undefined {
  note(`${at}.url`, 'not-carried', 'It is a URL. Sources of this type are folders on this machine.');
}

function folderPlace(url: string, at: string, paths: SatisPaths, note: Note): JsonObject | undefined {
  const folder = url.replace(/^file:\/\/(?=\/)/, '').replace(/(?:(?:^|\/)\*)+\/?$/, '');
  if (isAddress(folder)) return noFolder(at, note);
  if (/[*?[{]/.test(folder)) {
    note(
      `${at}.url`,
      'not-carried',
      `The pattern ${JSON.stringify(url)}: a directory source names one folder, below which every ` +
        'composer.json is a package: name the folder above the pattern, and "only" the packages.',
    );
    return undefined;
  }
  note(
    at,
    'carried',
    folder === url ? 'A directory source.' : 'A directory source: every composer.json below it is a package.',
  );
  return { type: 'directory', path: paths.rebase(folder === '' ? '.' : folder) };
}

function packagesOf(given: JsonValue | undefined, at: string, paths: SatisPaths, note: Note): JsonObject | undefined {
  const listed: readonly (readonly [string, JsonValue | undefined])[] = Array.isArray(given)
    ? (given as readonly JsonValue[]).map((one, index) => [`${at}.package[${index}]`, one] as const)
    : [[`${at}.package`, given]];
  const packages = listed.flatMap(([where, one]) =>
    isJsonObject(one) && typeof one['name'] === 'string' && typeof one['version'] === 'string'
      ? [[where, one] as const]
      : [],
  );
  if (packages.length === 0) {
    note(at, 'not-carried', 'It has no package with a name and a version.');
    return undefined;
  }
  const fetched = packages.filter(([where, one]) => isFetched(one, where, note));
  if (fetched.length === 0) return undefined;
  note(at, 'carried', 'A package source: its dists are fetched, checked and published from here.');
  return {
    type: 'package',
    packages: fetched.map(([where, one]) => withDist(withoutPasswords(one, where, note), paths)),
  };
}

/** Reports an address from which no dist can be fetched. */
function isFetched({ dist }: JsonObject, at: string, note: Note): boolean {
  const fault = isJsonObject(dist) && typeof dist['url'] === 'string' ? httpAddressFault(dist['url']) : undefined;
  if (fault !== undefined) note(`${at}.dist.url`, 'not-carried', `The address ${fault}. The package was left out.`);
  return fault === undefined;
}

/** Removes the password from each address in `value`, including the addresses of mirrors. */
function withoutPasswords<Value extends JsonValue>(value: Value, at: string, note: Note): Value;
function withoutPasswords(value: JsonValue, at: string, note: Note): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((one, index) => withoutPasswords(one, `${at}[${index}]`, note));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        one === undefined ? one : withoutPasswords(one, `${at}.${key}`, note),
      ]),
    );
  if (typeof value !== 'string' || !/^(?:[a-z][a-z0-9+.-]*:\/\/|[^\s/:@]+:[^\s/]*@[^\s/]+:)/i.test(value)) return value;
  const bare = withoutPassword(value);
  if (bare !== value)
    note(
      at,
      'not-carried',
      'The credentials in it were left out. Dists are fetched without any: let a proxy add them, or name a ' +
        'file on this machine.',
    );
  return bare;
}

/** The path of a local dist is relative to the file that contains it. */
function withDist(one: JsonObject, paths: SatisPaths): JsonObject {
  const { dist } = one;
  if (!isJsonObject(dist) || typeof dist['url'] !== 'string' || /^[a-z][a-z0-9+.-]*:/i.test(dist['url'])) return one;
  return { ...one, dist: { ...dist, url: paths.rebase(dist['url']) } };
}

function namesOf(given: JsonValue | undefined, field: 'only' | 'except', at: string, note: Note): JsonObject {
  if (given === undefined) return {};
  const listed = Array.isArray(given) ? (given as readonly JsonValue[]) : [];
  const isName = (name: JsonValue): name is string => typeof name === 'string' && isNamePattern(name);
  const names = listed.filter(isName);
  for (const [index, name] of listed.entries()) {
    if (names.length > 0 && !isName(name))
      note(
        `${at}[${index}]`,
        'not-carried',
        `${JSON.stringify(name)} is neither a package name nor a pattern such as "acme/*".`,
      );
  }
  if (names.length === 0) {
    note(at, 'not-carried', 'It is not a list of package names.');
    return {};
  }
  note(at, 'carried', `"${field}" of the source.`);
  return { [field]: names };
}
