// Completes lib/cli/lmdb with the binaries of other systems. npm installs only the package of its own system, so npm
// fetches the other packages as files. package-lock.json has their checksums.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyBinaries } from './binaries.mjs';

const run = promisify(execFile);

/** The flags of an `npm pack` around this one arrive in the environment, so `--dry-run` has to be taken back. */
const options = ['--json', '--dry-run=false', '--prefer-offline', '--fetch-retries=0', '--fetch-timeout=60000'];

/**
 * Fetches the package @lmdb/lmdb-* `name` (from npm's cache, if it is there) and copies its binaries below `out`, which
 * is lib/cli. Rejects if npm cannot fetch it, or if its checksum is another one than in package-lock.json.
 */
export async function fetchBinaries(name, { root, out }) {
  const { version, integrity } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ];
  const folder = mkdtempSync(join(tmpdir(), 'libretto-binaries-'));
  try {
    const { stdout } = await run('npm', ['pack', `${name}@${version}`, ...options, `--pack-destination=${folder}`], {
      cwd: folder,
      timeout: 120_000,
    });
    const file = join(folder, JSON.parse(stdout)[0].filename);
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    if (found !== integrity)
      throw new Error(`${name}@${version} has the checksum ${found}, and package-lock.json has ${integrity}.`);
    await run('tar', ['-xzf', file, '-C', folder]);
    copyBinaries(name, join(folder, 'package'), out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
