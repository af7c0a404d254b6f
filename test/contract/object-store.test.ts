// Tests the client of object stores on every dialect of the hostile store, which checks signatures to the letter. s3rver
// is a store of others: an independent opinion on keys, lists, parts and copies. It knows no conditions, and takes every
// signature of version 4.

import S3rver from 's3rver';
import { startHostileStore, type Dialect } from '../util/hostile-store.ts';
import { openStore, smallParts } from '../util/opened-store.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { describeObjectStore, type StoreTraits } from './object-store.ts';

const dialects: readonly (readonly [Dialect, StoreTraits['swapOnMissing']])[] = [
  ['aws', 'refused'],
  ['ceph', 'refused'],
  ['minio-2024', 'written'],
];

for (const [dialect, swapOnMissing] of dialects) {
  describeObjectStore(
    dialect,
    async () => {
      const server = await startHostileStore({ dialect, pageSize: 3 });
      return { store: openStore(server), multipartAbove: smallParts.multipartAbove, close: server.close };
    },
    { swapOnMissing, isExact: true },
  );
}

describeObjectStore(
  's3rver',
  async () => {
    const folder = temporaryFolder('s3rver');
    const bucket = 'libretto-test';
    const configureBuckets = [{ name: bucket, configs: [] }];
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: folder.path,
      configureBuckets,
    });
    const { port } = await server.run();
    const environment = {
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    };
    const close = async (): Promise<void> => {
      await server.close();
      await folder.remove();
    };
    return { store: openStore({ environment, bucket }), multipartAbove: smallParts.multipartAbove, close };
  },
  { swapOnMissing: undefined, isExact: false },
);
