// What npm runs before `npm pack`, after `npm run compile`. Without a network, the package is for this system alone, and
// a warning says so. `npm run release` refuses that.

import { dirname } from 'node:path';
import process from 'node:process';
import { completePackage } from './complete-package.mjs';

const missing = await completePackage(dirname(import.meta.dirname), { mayFetch: true });
for (const { name, reason } of missing)
  process.stderr.write(
    `The package will not run on ${name.replace('@lmdb/lmdb-', '')}: npm cannot fetch ${name} (${reason}). ` +
      'Run `npm pack` again when the registry answers.\n',
  );
