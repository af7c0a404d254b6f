// An object store in memory, with the conditions of the port. `beforePut` runs before an object is written, so that a
// test can let another builder be first, or end the process of this one.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { ObjectBody, ObjectStore, Precondition } from '../../build/store/object-store.ts';

interface Kept {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly sha256: string;
  readonly modified: number;
}

export interface MemoryStore extends ObjectStore {
  readonly objects: ReadonlyMap<string, Kept>;
  beforePut: (key: string) => Promise<void> | void;
  /** every request: `put public/packages.json` */
  readonly requests: string[];
}

type Look = (operation: string, key: string) => Kept | undefined;

export function memoryStore(): MemoryStore {
  const objects = new Map<string, Kept>();
  const requests: string[] = [];
  const look: Look = (operation, key) => {
    requests.push(`${operation} ${key}`);
    return objects.get(key);
  };
  const store: MemoryStore = {
    name: 's3://memory/registry',
    objects,
    requests,
    beforePut: () => undefined,
    ...readingOf(objects, look),
    put: async (key, body, _headers, condition) => {
      await store.beforePut(key);
      if (isRefused(look('put', key), condition)) return { outcome: 'refused' };
      const bytes = bytesOf(body);
      const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
      objects.set(key, { bytes, etag, sha256: body.sha256, modified: Date.now() });
      return { outcome: 'written', etag };
    },
    copy: async (from, to) => {
      const kept = look('copy', from);
      if (kept !== undefined) objects.set(to, kept);
      return kept !== undefined;
    },
    remove: async (keys) => {
      for (const key of keys) look('remove', key);
      for (const key of keys) objects.delete(key);
    },
    close: () => undefined,
  };
  return store;
}

function isRefused(kept: Kept | undefined, condition: Precondition | undefined): boolean {
  return condition === 'absent' ? kept !== undefined : condition !== undefined && kept?.etag !== condition.etag;
}

type Reading = 'get' | 'getIfChanged' | 'head' | 'download' | 'list' | 'presign';

function readingOf(objects: ReadonlyMap<string, Kept>, look: Look): Pick<ObjectStore, Reading> {
  return {
    get: async (key) => look('get', key),
    getIfChanged: async (key, etag) => {
      const kept = look('get', key);
      return kept !== undefined && kept.etag === etag ? 'same' : kept;
    },
    head: async (key) => {
      const kept = look('head', key);
      return kept && { key, size: kept.bytes.length, etag: kept.etag, sha256: kept.sha256 };
    },
    download: async (key, target, { sha256 }) => {
      const kept = look('get', key);
      if (kept === undefined) return false;
      if (kept.sha256 !== sha256) throw new Error(`${key} has other bytes`);
      if (target !== undefined) writeFileSync(target, kept.bytes, { flag: 'wx' });
      return true;
    },
    list: async function* list(prefix) {
      for (const key of [...objects.keys()].toSorted()) {
        const kept = objects.get(key);
        if (key.startsWith(prefix) && kept !== undefined)
          yield { key, size: kept.bytes.length, etag: kept.etag, modified: kept.modified };
      }
    },
    presign: async (key) => `https://memory.test/${key}`,
  };
}

function bytesOf(body: ObjectBody): Buffer {
  const bytes = 'bytes' in body ? body.bytes : readFileSync(body.file);
  if (createHash('sha256').update(bytes).digest('hex') !== body.sha256) throw new Error('the SHA-256 is another one');
  return bytes;
}
