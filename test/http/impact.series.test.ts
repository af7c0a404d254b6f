// Tests that a server answers requests while it reads what a withdrawal would break, in a registry of 2,000 packages.

import { expect, it } from 'vitest';
import type { PackageName } from '../../build/contract/name.ts';
import { createImpactReader } from '../../proxy/inspection/impact.ts';
import { createCatalogue } from '../../proxy/packages/catalogue.ts';
import { createLocalPublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { zipBytes } from '../util/hand-made-tree.ts';
import { runProxy } from '../util/running-proxy.ts';

const core = 'acme/core' as PackageName;
const dependents = 1999;

it('requests are answered while the impact on 2,000 packages is read', async () => {
  await using served = await runProxy({ tokens: { reader: 0 } });
  const version = { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('one', 20) };
  served.tree.put(core, [version]);
  for (let at = 0; at < dependents; at += 1)
    served.tree.put(`acme/p${at}`, [{ ...version, fields: { require: { 'acme/core': '^1.0' } } }]);
  served.tree.publish();
  const published = createLocalPublishedFiles(served.tree.data);
  const catalogue = createCatalogue(published);
  await catalogue.read(Date.now()); // from here on only the dependents are read
  let [isOver, answered] = [false, 0];
  const reading = createImpactReader({ catalogue, published, now: Date.now })
    .read(core, '1.0.0')
    .finally(() => (isOver = true));
  while (!isOver) {
    expect((await served.get('/p2/acme/core.json')).status).toBe(200);
    answered += 1;
  }
  const { affected, left } = await reading;
  expect([affected.length, left]).toEqual([dependents, 0]);
  expect(affected.every(({ otherwise }) => otherwise === null)).toBe(true);
  // a reader that holds the thread lets one or two requests through
  expect(answered).toBeGreaterThan(20);
});
