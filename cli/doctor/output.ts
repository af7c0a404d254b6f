// Checks the object store with the tree: what it can do, and that it has what its head names.

import { randomUUID } from 'node:crypto';
import { recordProbe } from '../../build/store/probe.ts';
import { verifyStore } from '../../build/store/verify-store.ts';
import { outputStore } from '../data-folder/output-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { failed, ok, type Finding } from './finding.ts';

/** Returns no finding if the data folder has the tree. */
export async function checkOutput(config: Config, context: Context): Promise<readonly Finding[]> {
  const store = await outputStore(config, context)?.open();
  if (store === undefined) return [];
  try {
    const verdict = await recordProbe(store, randomUUID(), context.now());
    if (verdict.verdict === 'unusable')
      return [failed('output', verdict.sentence, 'Then name it in the setting `output`.')];
    const lack =
      verdict.verdict === 'create-first'
        ? '. It also writes a replacement of an object that is gone: the first publication therefore only creates'
        : '';
    const probed = ok('output', `${store.name} can create and replace objects on a condition${lack}`);
    const { generation, objects, faults } = await verifyStore(config.data.value, store, { fast: true });
    const [first] = faults;
    if (first !== undefined)
      return [
        probed,
        failed(
          'output.objects',
          `${store.name} lacks ${counted(faults.length, 'object')} of ${objects}, such as ${first.key}: ${first.message}`,
          'Run `libretto verify` for all of them. Restore the objects from versions of the bucket or from a backup.',
        ),
      ];
    return [
      probed,
      ok('output.objects', `Generation ${generation} at ${store.name}: all ${counted(objects, 'object')}`),
    ];
  } finally {
    store.close();
  }
}
