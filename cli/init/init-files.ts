// The files of `libretto init`: it reads those that every installation has in docs/, and writes its own, all of them
// or none. An existing file is never replaced.

import { existsSync, mkdirSync, rmSync, writeFileSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { storageAdvice, storageFaultOf } from '../../build/contract/storage-fault.ts';
import { UsageError } from '../io/usage-error.ts';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface NewFile {
  /** absolute */
  readonly path: string;
  readonly text: string;
}

/** Throws UsageError for files that exist. `advice` names the way around each. */
export function refuseExisting(paths: readonly string[], advice: string): void {
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length > 0)
    throw new UsageError(
      `${existing.join(', ')} ${existing.length === 1 ? 'exists' : 'exist'} already, and is not replaced. ${advice}`,
    );
}

/** Throws UsageError, after removing the files that were written, if one cannot be written. */
export function writeAll(files: readonly NewFile[]): void {
  const written: string[] = [];
  for (const { path, text } of files) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    } catch (error) {
      for (const one of written) rmSync(one, { force: true });
      if (!(error instanceof Error && 'code' in error)) throw error;
      const reason = storageFaultOf(error) === undefined ? `${error.message}.` : storageAdvice(error);
      throw new UsageError(`${path} cannot be written: ${reason} No file was written.`, { cause: error });
    }
  }
}

// The files of docs/ that every installation of this program has.

/** Sources and compiled files are two folders below package.json. */
const docs = new URL('../../docs/', import.meta.url);

/** The text of a file of docs/deploy/. */
export function readDeployFile(name: string): string {
  return readFileSync(new URL(`deploy/${name}`, docs), 'utf8');
}

/**
 * The value of `$schema` in a libretto.json in this folder: a path below the folder, or an address of the file.
 * `script`: as in process.argv[1]. Where links lead to the program, as /opt/libretto to /opt/libretto-0.1.0, the
 * address goes through them, so that it survives an upgrade.
 */
export function schemaOf(directory: string, script: string | undefined): string {
  const real = fileURLToPath(new URL('libretto.schema.json', docs));
  const schema = linkedSchema(script, real) ?? real;
  const near = relative(directory, schema).split(sep).join('/');
  return near.startsWith('../') ? pathToFileURL(schema).href : `./${near}`;
}

/** bin/libretto is a link to lib/cli/main.js of the package; only this link is followed. */
function linkedSchema(script: string | undefined, real: string): string | undefined {
  if (script === undefined) return undefined;
  try {
    const main = script.endsWith('main.js') ? script : resolve(dirname(script), readlinkSync(script));
    const schema = join(dirname(main), '../../docs/libretto.schema.json');
    return realpathSync(schema) === realpathSync(real) ? schema : undefined;
  } catch {
    return undefined; // the program was started in another way
  }
}
