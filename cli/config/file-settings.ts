// The settings that exist only in libretto.json, because they are lists and objects: the published sources, and
// additions to their packages.

import type { JsonValue } from '../../build/contract/json.ts';
import { resolve } from 'node:path';

import type { Setting } from './setting.ts';

type Shapes = (typeof import('./file-shapes.ts'))['fileShapes'];
type ValueOf<Name extends keyof Shapes> = Exclude<ReturnType<Shapes[Name]['read']>, undefined>;

/** `standard`: its value where the file has none. */
function fileSetting<Name extends keyof Shapes, Standard extends ValueOf<Name> | undefined>(
  name: Name,
  purpose: string,
  standard: Standard,
  key: string = name,
): Setting<ValueOf<Name> | (Standard & undefined)> {
  return {
    key,
    purpose,
    variable: undefined,
    allowed: 'a value as described in docs/reference/configuration.md',
    parse: async (raw, _, refuse) =>
      (await import('./file-shapes.ts')).fileShapes[name].read(raw as JsonValue, '', refuse) as
        | ValueOf<Name>
        | undefined,
    standard: () => standard as ValueOf<Name> | (Standard & undefined),
  };
}

const sources = fileSetting('sources', 'the sources of every build without SOURCE', []);

/** Reads a plain list of paths without loading the shapes. */
const parseSources: typeof sources.parse = (raw, base, refuse) =>
  Array.isArray(raw) && raw.every(isPlainPath)
    ? raw.map((source: string) => ({ source, options: {} }))
    : sources.parse(raw, base, refuse);

const identityProviders = fileSetting(
  'identityProviders',
  'the providers of OpenID Connect at which people sign in to the console',
  [],
);

/** The path of a secret is relative to the file that names it. */
const parseProviders: typeof identityProviders.parse = async (raw, base, refuse) =>
  (await identityProviders.parse(raw, base, refuse))?.map((provider) => {
    const { clientSecret } = provider;
    return clientSecret === undefined || !('file' in clientSecret)
      ? provider
      : { ...provider, clientSecret: { file: resolve(base.directory, clientSecret.file) } };
  });

function isPlainPath(raw: unknown): raw is string {
  return typeof raw === 'string' && /^[\w./@+~-]+$/.test(raw);
}

export const fileSettings = {
  sources: { ...sources, parse: parseSources },
  name: fileSetting('name', 'the name of the registry in packages.json', undefined),
  description: fileSetting('description', 'the purpose of the registry in packages.json', undefined),
  homepage: fileSetting('homepage', 'a web page about the registry, in packages.json', undefined),
  abandoned: fileSetting('abandoned', 'packages that are no longer maintained, and their replacements', {}),
  advisories: fileSetting('advisories', 'JSON files of security advisories, for `composer audit`', undefined),
  filters: fileSetting('filters', 'lists of versions that Composer must not install, such as malware', {}),
  archiveExclude: fileSetting(
    'archiveExclude',
    "patterns added to every package's archive.exclude",
    [],
    'archive.exclude',
  ),
  egressAllow: fileSetting('egressAllow', 'private addresses that Libretto may fetch from', [], 'egress.allow'),
  warnings: fileSetting('warnings', 'warnings that Composer prints, by version of Composer', []),
  infos: fileSetting('infos', 'information that Composer prints, by version of Composer', []),
  identityProviders: { ...identityProviders, parse: parseProviders },
  sourceRoots: fileSetting('sourceRoots', 'folders of this machine that may contain registered repositories', []),
};
