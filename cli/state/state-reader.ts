// A separate process that reads the state in a folder and writes its findings as one line of JSON. Its parent
// interprets an ending signal as the result.

import { readWholeState } from '../../proxy/state/lmdb-reading.ts';

process.stdout.write(`${JSON.stringify(await readWholeState(process.argv[2] ?? ''))}\n`);
