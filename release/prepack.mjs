// What npm runs before `npm pack`, after `npm run compile`. Without a network, the package is for this system alone, and
// a warning says so. `npm run release` refuses that. With --this-system it asks no network, and says nothing.

import { dirname } from 'node:path';
import process from 'node:process';
import { completePackage } from './complete-package.mjs';

const onlyThisSystem = process.argv.includes('--this-system');
const missing = await completePackage(dirname(import.meta.dirname), { mayFetch: !onlyThisSystem });
for (const { name, reason } of onlyThisSystem ? [] : missing)
  process.stderr.write(
    `The package will not run on ${name.replace('@lmdb/lmdb-', '')}: npm cannot fetch ${name} (${reason}). ` +
      'Run `npm pack` again when the registry answers.\n',
  );
