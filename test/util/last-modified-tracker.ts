// Checks I19, which the caches of clients rely on, for everything that readers could have seen. A date of a document
// never stands for two contents, and a changed document has a later date than ever before. Only a power loss may
// restore an earlier document, and then with its own date.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { allFiles } from './published-tree.ts';

interface SeenDocument {
  /** date in epoch seconds → SHA-256 of the content with that date */
  readonly contents: Map<number, string>;
  /** the latest date */
  latest: number;
  /** the state at the last check */
  digest: string;
}

export interface LastModifiedTracker {
  /** Checks packages.json and every p2 document. `afterPowerLoss`: they may be earlier ones again. */
  readonly note: (afterPowerLoss?: boolean) => void;
}

export function trackLastModified(data: string): LastModifiedTracker {
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
