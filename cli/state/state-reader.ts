// A process of its own that reads the state in the folder it is given, and writes what it found as one line of JSON.
// Whoever started it takes the signal that ends it for the answer.

import { readWholeState } from '../../proxy/state/lmdb-reading.ts';

process.stdout.write(`${JSON.stringify(await readWholeState(process.argv[2] ?? ''))}\n`);
