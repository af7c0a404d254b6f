// Writes to a state directory until it is killed: `node state-writer.mjs DIRECTORY NAME`. Each commit puts two rows,
// deletes the third row of the round before, and appends an audit event; its number is printed once the commit is
// acknowledged.

import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { createAuditedStore } from '../../lib/cli/audit.js';
import { openLmdbStore } from '../../lib/cli/lmdb-store.js';

const [, , directory, name] = argv;
const store = createAuditedStore({ store: await openLmdbStore(directory), now: Date.now });
for (let round = 1; ; round += 1) {
  const change = {
    conditions: [],
    puts: [
      { key: `left/${name}/${round}`, value: { round, filler: 'x'.repeat(round % 700) } },
      { key: `right/${name}/${round}`, value: { round } },
      { key: `last/${name}/${round}`, value: round },
    ],
    deletes: round > 1 ? [`last/${name}/${round - 1}`] : [],
  };
  await store.commit(change, { actor: 'system:test', action: 'round', subject: name, details: { round } });
  writeSync(1, `${round}\n`);
}
