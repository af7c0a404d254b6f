// Completes lib/ for a package, after `npm run compile`: LMDB's binaries for all systems, the licences of the libraries
// inside (lib/THIRD-PARTY-LICENSES.txt), and the list of these libraries (lib/sbom.cdx.json).

import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binariesIn, binaryPackages } from './binaries.mjs';
import { fetchBinaries } from './fetch-binaries.mjs';
import { installedBinaries, readLibraries } from './libraries.mjs';
import { thirdPartyLicences } from './licences.mjs';
import { describeContents } from './sbom.mjs';

/**
 * Resolves with the packages @lmdb/lmdb-* that are missing, with the reasons. `mayFetch`: false leaves it at those that
 * npm has installed.
 *
 * @param {string} root
 * @param {{ readonly mayFetch: boolean }} options
 */
export async function completePackage(root, { mayFetch }) {
  const out = join(root, 'lib/cli');
  const present = installedBinaries(root);
  const missing = [];
  for (const name of binaryPackages.filter((one) => !present.includes(one)))
    try {
      if (!mayFetch) throw new Error('it was not asked for');
      await fetchBinaries(name, { root, out });
      present.push(name);
    } catch (error) {
      missing.push({ name, reason: firstLine(error) });
    }
  // an older package may have left them
  for (const { name } of missing) for (const { to } of binariesIn(name)) rmSync(join(out, to), { force: true });
  writeDescriptions(root, present.sort());
  return missing;
}

function writeDescriptions(root, binaries) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const libraries = readLibraries(root, binaries);
  const files = binaries.flatMap((library) =>
    binariesIn(library).map(({ to }) => ({
      library,
      path: `lib/cli/${to}`,
      sha256: digestOf(join(root, 'lib/cli', to)),
    })),
  );
  const contents = describeContents({ name, version, license }, libraries, files);
  writeFileSync(join(root, 'lib/sbom.cdx.json'), `${JSON.stringify(contents, undefined, 2)}\n`);
  writeFileSync(join(root, 'lib/THIRD-PARTY-LICENSES.txt'), thirdPartyLicences(libraries));
}

const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** npm's own reason, which follows the line that repeats the command. */
function firstLine({ message, stderr }) {
  const reasons = `${stderr ?? ''}`.split('\n').filter((line) => /^npm error (?!code|A complete log)/.test(line));
  return (reasons[0] ?? message).replace(/^npm error /, '').split('\n')[0];
}
