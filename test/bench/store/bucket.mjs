// The object store of the benchmark: the hostile store of the tests, with a latency, filled from a data folder without a
// request. Bundled before it is loaded (../store.mjs), because it imports TypeScript.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withChecksum } from '../../../build/contract/checksum.ts';
import { documentKey, formatHead, headKey, kindOf } from '../../../build/contract/store-listing.ts';
import { StoredListing } from '../../../build/listing/stored-listing.ts';
import { listLocalFiles } from '../../../build/store/local-files.ts';
import { isProjected } from '../../../build/store/projection.ts';
import { startHostileStore } from '../../util/hostile-store.ts';

const prefix = 'registry';

/** `address`: of `--output` and `--origin`. Each request takes `latencyMs` more. */
export async function startBucket(latencyMs) {
  const store = await startHostileStore();
  let headPutAt;
  store.fault = ({ method, key }) => {
    if (method === 'PUT' && key === `${prefix}/${headKey}`) headPutAt = performance.now();
    return { delayMs: latencyMs };
  };
  return {
    address: `s3://${store.bucket}/${prefix}`,
    environment: store.environment,
    fill: (data, names) => fill(store, data, names),
    close: store.close,
    /** when the last head arrived, on the clock of `performance` */
    headPutAt: () => headPutAt,
    /** What was requested since the last call. */
    spent: () => spent(store, store.requests.splice(0)),
  };
}

/** Requests by the classes of price lists: A writes and lists, B reads. Removing is free. */
function spent({ objects }, requests) {
  const bought = { a: 0, b: 0, sent: 0, received: 0, heads: 0 };
  for (const { method, key, bytes, status } of requests) {
    if (method === 'DELETE') continue;
    const reads = (method === 'GET' || method === 'HEAD') && key !== undefined;
    bought[reads ? 'b' : 'a'] += 1;
    bought.sent += bytes;
    if (reads && key.endsWith(headKey)) bought.heads += 1;
    if (method === 'GET' && status === 200 && key !== undefined) bought.received += objects.get(key)?.bytes.length ?? 0;
  }
  return bought;
}

/**
 * All files of a data folder, and for each package of `names` the archives of bench/template, which share their memory.
 * The listing, the head and the copies are as after a publication of a builder.
 */
async function fill({ objects }, data, names) {
  const put = (path, bytes) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    const held = { bytes, etag, headers: { 'x-amz-meta-sha256': sha256 }, modified: new Date().toISOString() };
    objects.set(`${prefix}/${path ?? documentKey(sha256)}`, held);
    return { held, sha256 };
  };
  const { documents, archives } = listLocalFiles(data);
  const listed = new Map();
  for (const { path, modified } of documents) {
    const bytes = asWritten(readFileSync(join(data, path)));
    const { sha256, held } = put(undefined, bytes);
    if (isProjected(path)) objects.set(`${prefix}/${path}`, held);
    listed.set(path, { sha256, size: bytes.length, modified: Math.floor(modified) });
  }
  for (const { path, size, modified } of archives) {
    const bytes = readFileSync(join(data, path));
    const sha1 = createHash('sha1').update(bytes).digest('hex');
    for (const name of ['bench/template', ...names]) {
      const own = path.replace('bench/template', name);
      if (kindOf(own) !== 'archives') throw new Error(`${own} is no archive`);
      if (name === 'bench/template')
        listed.set(own, { sha256: put(own, bytes).sha256, size, modified: Math.floor(modified), sha1 });
      else {
        objects.set(`${prefix}/${own}`, objects.get(`${prefix}/${path}`));
        listed.set(own, listed.get(path));
      }
    }
  }
  const { listing, objects: parts } = await (await StoredListing.open(undefined, never)).next(listed);
  for (const { text } of parts) put(undefined, Buffer.from(text));
  const head = { generation: 1, serial: 1, written_at: new Date().toISOString(), listing };
  put(headKey, Buffer.from(formatHead(head)));
  const projection = { format: 1, listing, begun: [], until: 0, by: 'bench' };
  put('index/_projection.json', Buffer.from(`${JSON.stringify(projection)}\n`));
  return { objects: objects.size, files: listed.size };
}

/** trees.mjs edits files, and leaves their old checksums. */
function asWritten(bytes) {
  const at = bytes.lastIndexOf(',\n"sha256": "');
  return at === -1 ? bytes : Buffer.from(withChecksum(`${bytes.subarray(0, at)}}`));
}

const never = () => Promise.reject(new Error('the listing was empty'));
