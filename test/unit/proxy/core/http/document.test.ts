// Compares the cache's estimate of a document's memory with the memory that it takes. The bound of the caches is one
// of memory, not of body bytes.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { TextDocument } from '../../../../../proxy/core/http/document.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collect();
  collect(); // collects the objects whose finalizers ran in the first collection
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it.each([
  [400, 2000],
  [8000, 500],
])(
  'the cache counts about the memory that a document of %d bytes and its compressed variant take',
  async (size, count) => {
    const documents: TextDocument[] = [];
    await new TextDocument(Buffer.alloc(400), 0).in('gzip', () => undefined);
    const before = usedBytes();
    let counted = 0;
    for (let at = 0; at < count; at += 1) {
      const document = new TextDocument(Buffer.from(`{"packages":{"acme/p${at}":{}}}`.padEnd(size, ' ')), at * 1000);
      counted += document.weight;
      await document.in('gzip', (bytes) => void (counted += bytes));
      documents.push(document);
    }
    const took = usedBytes() - before;
    expect(documents).toHaveLength(count);
    // the bodies of small documents are a fifth of it; other memory of the process changes the figure
    expect(counted / took).toBeGreaterThan(1 / 2);
    expect(counted / took).toBeLessThan(3 / 2);
  },
);
