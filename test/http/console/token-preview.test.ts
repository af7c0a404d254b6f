// Tests what the preview of a token warns of: patterns that match nothing, and requirements that the token does not
// see.

import { expect, it } from 'vitest';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { runConsole } from '../../util/running-console.ts';

it('names patterns without a package, and required packages that the token does not see', async () => {
  await using console = await runConsole();
  const tree = new HandMadeTree(console.registry.data);
  const put = (name: string, require: Readonly<Record<string, string>> = {}): void =>
    tree.put(name, [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes(name), fields: { require } }]);
  put('acme/core');
  put('acme/log');
  put('acme/shop', { 'acme/core': '^1', 'acme/log': '^1', 'psr/log': '^3', php: '>=8.1' });
  tree.publish();
  const { browser } = await console.signIn('admin');
  const preview = async (packages: string): Promise<string> =>
    (await browser.post('/tokens/new/preview', { description: 'CI', kind: 'read', expires: '90d', packages })).text;

  const typo = await preview('acme/*\nacme/corr\na/*');
  expect(typo).toContain('No published package matches acme/corr, a/*.');
  expect(typo).not.toContain('does not see');
  const shop = await preview('acme/shop');
  expect(shop).toContain(
    'acme/shop requires acme/core, which the token does not see. Composer cannot install versions that need it. ' +
      'The same holds for 1 other requirement.',
  );
  expect(shop).not.toContain('No published package');
  expect(await preview('acme/shop\nacme/core\nacme/log')).not.toContain('does not see');
});
