// The fields a source of libretto.json may have, with Composer's and Satis' own names.

import { parseConstraint } from '../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import type { Stability } from '../../build/contract/stability.ts';
import { parseAddress } from '../../build/contract/address.ts';
import { parseGitUrl } from '../../build/sources/git-url.ts';
import { folderGrammar, isNamePattern, namePatternGrammar } from '../../build/shared/patterns/package-pattern.ts';
import { shown } from './setting-values.ts';
import { choice, complaintOf, either, listOf, mapOf, mapped, text, type Shape } from './shape.ts';
import { plainText } from './text-schemas.ts';

export const path = text({
  pattern: String.raw`^(?![A-Za-z][A-Za-z0-9+.-]*://)(?=.*\S)[^\u0000-\u001f\u007f]+$`,
  allowed: 'a path, relative to this file',
  description: 'relative to this file',
});
export const url = text({
  pattern: String.raw`^(?:(?:https?|ssh|git\+ssh|ssh\+git)://|(?:[A-Za-z0-9_.@-]+|(?:[A-Za-z0-9_.-]+@)?\[[^/\s?#\\]+\]):(?!//))[^\s?#\\]+$`,
  allowed:
    'https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH; for a repository on this machine, use "path" in libretto.json',
  description: 'https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH, without credentials',
  objection(given) {
    const parsed = parseGitUrl(given);
    return 'refusal' in parsed ? `cannot be used: ${parsed.refusal}` : undefined;
  },
});
const namePattern = text({
  pattern: namePatternGrammar,
  allowed: 'a package name such as "acme/hello", or a pattern such as "acme/*"',
  description: 'a package name, or a pattern such as acme/*',
  objection: (given) => (isNamePattern(given) ? undefined : complaintOf(given, 'at most 201 characters')),
});
const constraint = text({
  pattern: plainText,
  allowed: 'a version constraint such as "^1.2 || dev-main"',
  description: 'a version constraint such as ^1.2 || dev-main',
  objection(given) {
    const parsed = parseConstraint(given);
    return 'refusal' in parsed ? `is not a valid version constraint: ${parsed.refusal}.` : undefined;
  },
});
const refPattern = text({
  pattern: String.raw`^!?[^\s!\u0000-\u001f\u007f][^\s\u0000-\u001f\u007f]*$`,
  allowed: 'a name or a pattern such as "v2.*"; a leading ! excludes',
});
const folderPattern = text({
  pattern: folderGrammar,
  allowed: 'a folder inside the repository, or a pattern such as "packages/*"',
});
const inlinePackage: Shape<JsonObject> = {
  schema: {
    type: 'object',
    required: ['name', 'version'],
    properties: { name: { type: 'string' }, version: { type: 'string' } },
  },
  read(value, at, refuse) {
    if (isJsonObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string') return value;
    const allowed = 'a composer.json with name, version and dist, as in a Composer repository of type package';
    return refuse(at, complaintOf(value, allowed));
  },
};

/** The address of another Composer repository. */
export const repositoryUrl = text({
  pattern: String.raw`^https?://[^\s?#\\]+$`,
  allowed: 'the https:// address of a Composer repository, or of its packages.json',
  description: 'the address of a Composer repository or its packages.json, without credentials',
  objection(given) {
    const parsed = parseAddress(given);
    if ('refusal' in parsed) return `is ${shown(given)}, which ${parsed.refusal}.`;
    const { username, password } = parsed.url;
    return username === '' && password === ''
      ? undefined
      : 'contains credentials. Remove them and set them in COMPOSER_AUTH, or register the repository through the API.';
  },
});
const wholeName = text({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$',
  allowed: 'a package name such as "acme/hello"',
  objection: (given) =>
    parsePackageName(given.toLowerCase()) === undefined
      ? complaintOf(given, 'a package name such as "acme/hello"')
      : undefined,
});

const names = listOf(namePattern, { allowed: 'a list of package names or patterns such as ["acme/*"]' });
const byName = mapOf(namePattern, constraint, 'an object such as {"acme/hello": "^1.0"}');
const constraintForAll = mapped(constraint, (given) => ({ '*': given }));
const wholePackages = mapped(names, (given) => Object.fromEntries(given.map((pattern) => [pattern, '*'])));
const stabilities: readonly Stability[] = ['dev', 'alpha', 'beta', 'RC', 'stable'];

export const packages: Shape<readonly JsonObject[]> = either(
  Array.isArray,
  listOf(inlinePackage, { allowed: 'a list of packages' }),
  mapped(inlinePackage, (one) => [one]),
  'the packages, as in a Composer repository of type package',
);

/** Fields of every source: the filters on its packages and versions. */
export const filters = {
  only: { ...names, schema: { ...names.schema, description: 'publish only packages with these names' } },
  except: either(
    Array.isArray,
    wholePackages,
    byName,
    'do not publish packages with these names, or these versions of them',
  ),
  versions: either(
    (value: JsonValue) => typeof value === 'string',
    constraintForAll,
    byName,
    'publish only matching versions: one constraint for all packages, or one for each name or pattern',
  ),
  'minimum-stability': choice(stabilities, 'the minimum stability of published versions'),
  'minimum-stability-per-package': mapOf(
    wholeName,
    choice(stabilities, 'the minimum stability of published versions'),
    'an object such as {"acme/hello": "dev"}',
    'replaces minimum-stability for these packages',
  ),
};

/** Fields of git sources: the parts of a repository that are read. */
export const git = {
  tags: listOf(refPattern, {
    allowed: 'a list of tags or patterns such as ["v2.*"]',
    description: 'read only these tags; a leading ! excludes; [] reads none',
    atLeast: 0,
  }),
  branches: listOf(refPattern, {
    allowed: 'a list of branches or patterns such as ["main", "*.x"]',
    description: 'read only these branches; a leading ! excludes; [] reads none',
    atLeast: 0,
  }),
  subdirectories: listOf(folderPattern, {
    allowed: 'a list of folders such as ["packages/*"]',
    description: 'folders with a composer.json that are separate packages, at every tag and branch',
  }),
  'reference-source': choice(
    ['none', 'include'],
    'include: the metadata names the git repository, for clients that prefer sources',
  ),
};

/** Fields of other Composer repositories: the names that are requested from them. */
export const mirrored = {
  only: { ...names, schema: { ...names.schema, description: 'request only packages with these names' } },
  except: { ...names, schema: { ...names.schema, description: 'never request packages with these names' } },
  packages: mapOf(
    wholeName,
    constraint,
    'an object such as {"acme/hello": "^1.0"}',
    'packages whose matching versions every build fetches in advance',
  ),
};
