// The places that the units of `libretto init --systemd` need, and the command that they start.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Answers } from '../../init/answers.ts';
import type { UnitPath } from '../../init/hidden-places.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

/** The place of the script for operators: a program installed there by npm gives way to it. */
export const operatorPlace = '/usr/local/bin/libretto';

/** The absolute command of this program: the installed program, or Node with the script. */
export function programCommand(): readonly string[] {
  const [, script = ''] = process.argv;
  if (basename(script) !== 'main.js' && script !== operatorPlace) return [script];
  return [process.execPath, realPath(script)];
}

export function unitPlaces({ sources, data, tlsCert, tlsKey }: Answers): readonly UnitPath[] {
  const named: readonly (readonly [UnitPath['what'], string | undefined])[] = [
    ['program', programCommand().at(-1)],
    ['node', process.execPath],
    ...sources.map((source) => ['source', 'path' in source ? source.path : fileOf(source.url)] as const),
    ['data', data],
    ['certificate', tlsCert],
    ['key', tlsKey],
  ];
  return named.flatMap(([what, path]) => (path === undefined ? [] : [{ what, path, realPath: realPath(path) }]));
}

function fileOf(url: string): string | undefined {
  return url.startsWith('file:///') && parseUrl(url) !== undefined ? fileURLToPath(url) : undefined;
}

/** Without symbolic links, as far as the path exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realPath(above), basename(path));
}
