// The settings that stand in libretto.json only, since they are lists and objects: what is published, and what is said
// of it.

import type { JsonValue } from '../../build/contract/json.ts';
import type { ClientNotice } from '../../proxy/settings/client-notice.ts';
import type { Setting } from './setting.ts';
import type { SourceEntry } from './source-shape.ts';

type Shapes = (typeof import('./file-shapes.ts'))['fileShapes'];
type ValueOf<Name extends keyof Shapes> = Exclude<ReturnType<Shapes[Name]['read']>, undefined>;

function fileSetting<Name extends keyof Shapes, Standard>(
  name: Name,
  key: string,
  purpose: string,
  standard: Standard,
): Setting<ValueOf<Name> | Standard> {
  return {
    key,
    purpose,
    flag: undefined,
    variable: undefined,
    allowed: 'what docs/reference/configuration.md says',
    parse: async (raw, _, refuse) =>
      (await import('./file-shapes.ts')).fileShapes[name].read(raw as JsonValue, '', refuse) as
        ValueOf<Name> | undefined,
    standard: () => standard,
  };
}

const sources = fileSetting<'sources', readonly SourceEntry[]>(
  'sources',
  'sources',
  'what every build without SOURCE takes',
  [],
);

/** A list of paths needs nothing loaded to be read. */
const parseSources: typeof sources.parse = (raw, place, refuse) =>
  Array.isArray(raw) && raw.every(isPlainPath)
    ? raw.map((source: string) => ({ source, options: {} }))
    : sources.parse(raw, place, refuse);

function isPlainPath(raw: unknown): raw is string {
  return typeof raw === 'string' && /^[\w./@+~-]+$/.test(raw);
}

export const fileSettings = {
  sources: { ...sources, parse: parseSources },
  name: fileSetting('name', 'name', 'what the registry is called, in packages.json', undefined),
  description: fileSetting('description', 'description', 'what the registry is for, in packages.json', undefined),
  homepage: fileSetting('homepage', 'homepage', 'where to read more about the registry, in packages.json', undefined),
  abandoned: fileSetting(
    'abandoned',
    'abandoned',
    'packages that are not maintained any more, and what replaces them',
    {},
  ),
  advisories: fileSetting(
    'advisories',
    'advisories',
    'JSON files of security advisories, for `composer audit`',
    undefined,
  ),
  filters: fileSetting('filters', 'filters', 'lists of versions that Composer is not to install, such as malware', {}),
  archiveExclude: fileSetting<'archiveExclude', readonly string[]>(
    'archiveExclude',
    'archive.exclude',
    "patterns added to every package's archive.exclude",
    [],
  ),
  egressAllow: fileSetting<'egressAllow', readonly string[]>(
    'egressAllow',
    'egress.allow',
    'private addresses that a build may fetch from',
    [],
  ),
  warnings: fileSetting<'warnings', readonly ClientNotice[]>(
    'warnings',
    'warnings',
    'what Composer warns its users of, by its version',
    [],
  ),
  infos: fileSetting<'infos', readonly ClientNotice[]>(
    'infos',
    'infos',
    'what Composer tells its users, by its version',
    [],
  ),
  sourceRoots: fileSetting<'sourceRoots', readonly string[]>(
    'sourceRoots',
    'sourceRoots',
    'folders of this machine that registered repositories may lie in',
    [],
  ),
};
