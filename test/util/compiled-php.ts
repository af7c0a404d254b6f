// PHP keeps the compiled code of Composer between its runs, as PHP-FPM does by default: each run of `composer` then
// needs half of its processor time. Without the opcache extension, PHP ignores these settings.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** PHP_INI_SCAN_DIR with a folder of settings, after the folders of the system. */
export function compiledPhp(): string {
  folder ??= writeSettings(join(tmpdir(), `libretto-php-${process.getuid?.() ?? 0}`));
  return `:${folder}`;
}

/** All test processes share the folder. The file appears whole, since another process may be reading it. */
function writeSettings(shared: string): string {
  const cache = join(shared, 'cache');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const settings = ['enable_cli=1', `file_cache=${cache}`, 'file_cache_only=1'];
  const written = join(shared, `${process.pid}.tmp`);
  writeFileSync(written, settings.map((line) => `opcache.${line}\n`).join(''));
  renameSync(written, join(shared, 'opcache.ini'));
  return shared;
}
