// Writes the message for unknown keys in libretto.json: the nearest name, or the page with all names. For a key of
// composer.json or satis.json the message names the way to use such a file. Pure.

import { nearest } from '../text/suggest.ts';

/**
 * Keys of a composer.json or satis.json that no setting is called like; listed here, since all that a start loads costs
 * each start.
 */
const foreign: ReadonlySet<string> = new Set([
  'output-dir',
  'output-html',
  'require-dependencies',
  'require-dev-dependencies',
  'only-dependencies',
  'only-best-candidates',
  'strip-hosts',
  'twig-template',
  'include-filename',
  'providers',
  'includes',
  'pretty-print',
  'notify-batch',
  'available-package-patterns',
  'include-types',
  'exclude-types',
  'minimum-stability-per-package',
  'http-basic',
  'github-oauth',
  'gitlab-token',
  'bearer',
  'repositories',
  'require',
  'require-dev',
  'require-all',
  'url',
  'type',
  'package',
  'packages',
  'version',
  'config',
  'extra',
  'license',
  'authors',
  'keywords',
  'support',
  'autoload',
  'autoload-dev',
  'minimum-stability',
  'prefer-stable',
  'scripts',
  'conflict',
  'replace',
  'provide',
  'suggest',
  'blacklist',
  'whitelist',
]);

export function isForeignKey(key: string): boolean {
  return foreign.has(key);
}

/** Describes all of these keys in one complaint. */
export function describeForeignKeys(keys: readonly string[], path: string): string {
  const names = keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1) ?? ''}`;
  const sources = keys.some((key) => ['repositories', 'require', 'url', 'packages', 'package'].includes(key))
    ? ' Use "sources" for the packages to publish, such as [{"type": "git", "url": "https://…"}].'
    : '';
  return (
    `${names} in ${path} ${keys.length === 1 ? 'is a key' : 'are keys'} of a composer.json or satis.json, not of ` +
    `a libretto.json.${sources} \`libretto import satis FILE\` converts a satis.json into a libretto.json.`
  );
}

/** `key` is in no way a setting. `known`: all keys there are, groups with a dot: `limits.read`. */
export function describeUnknownKey(key: string, path: string, known: readonly string[]): string {
  const group = key.slice(0, key.indexOf('.') + 1);
  const siblings = known
    .filter((candidate) => group !== '' && candidate.startsWith(group))
    .map((candidate) => candidate.slice(group.length));
  const meant = siblings.length > 0 ? nearest(key.slice(group.length), siblings) : nearest(key, known);
  if (meant !== undefined)
    return `${key} in ${path} is not a setting; did you mean ${siblings.length > 0 ? group : ''}${meant}?`;
  return (
    `${key} in ${path} is not a ` +
    `setting${siblings.length > 0 ? `; ${group.slice(0, -1)} has ${siblings.join(', ')}.` : '. docs/reference/configuration.md lists all settings.'}`
  );
}
