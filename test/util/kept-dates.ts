// I19, which is what caches of clients go by, as far as readers could have seen it: a date of a document never stands
// for two contents, and a document that changes has a later date than it ever had. Only a machine that loses its power
// may bring back an earlier document, and then with the date that it had.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { allFiles } from './published-tree.ts';

interface SeenDocument {
  /** date in epoch seconds → SHA-256 of what was seen with it */
  readonly contents: Map<number, string>;
  /** the latest date */
  latest: number;
  /** what was there when it was last looked at */
  digest: string;
}

export interface KeptDates {
  /** Looks at packages.json and every p2 document. `afterPowerLoss`: they may be earlier ones again. */
  readonly note: (afterPowerLoss?: boolean) => void;
}

export function keepDates(data: string): KeptDates {
  const documents = new Map<string, SeenDocument>();
  return {
    note: (afterPowerLoss = false) => {
      const folder = join(data, 'public');
      if (!existsSync(folder)) return;
      for (const path of allFiles(folder).filter((file) => !file.startsWith('dist/'))) {
        const [digest, date] = [
          createHash('sha256')
            .update(readFileSync(join(folder, path)))
            .digest('hex'),
          Math.floor(statSync(join(folder, path)).mtimeMs / 1000),
        ];
        const seen = documents.get(path) ?? { contents: new Map<number, string>(), latest: -Infinity, digest };
        const shown = `Last-Modified of ${path}, ${new Date(date * 1000).toISOString()},`;
        expect(seen.contents.get(date) ?? digest, `${shown} stood for another content before`).toBe(digest);
        const returned = afterPowerLoss && seen.contents.has(date);
        if (seen.digest !== digest && !returned)
          expect(date, `${shown} although it has changed`).toBeGreaterThanOrEqual(seen.latest);
        seen.contents.set(date, digest);
        documents.set(path, { ...seen, latest: Math.max(seen.latest, date), digest });
      }
    },
  };
}
