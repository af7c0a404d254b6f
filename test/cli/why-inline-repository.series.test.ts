// Tests `libretto why` for packages of a repository that lists all or some in one document, so that no document of
// their own is stored.

import { afterEach, expect, it } from 'vitest';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { startUpstream } from '../util/upstream.ts';

let registry: ManagedRegistry | undefined;
afterEach(async () => registry?.[Symbol.asyncDispose]());

it.each(['inline', 'includes'] as const)(
  'why names the upstream of a package once its document was read (%s)',
  async (layout) => {
    await using upstream = await startUpstream({ layout });
    upstream.put('some/lib', [{ version: '1.0.0' }]);
    const running = await startManagedRegistry({
      egress: { allow: ['127.0.0.0/8'] },
      sources: [{ type: 'composer', url: upstream.url }],
    });
    registry = running;
    await running.cli('build');
    const why = async (name: string): Promise<string> => (await running.cli('why', name)).stdout;
    expect(await why('some/lib')).toContain('No stored document has this package');
    const token = String(
      (await running.api('POST', '/api/tokens', { description: 'a client', kind: 'read' })).json['token'],
    );
    expect(
      (await fetch(`${running.url()}/p2/some/lib.json`, { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(200);
    await expect
      .poll(() => why('some/lib'), { timeout: 60_000 })
      .toContain(`It comes from ${upstream.url}, last requested 20`);
    expect(await why('some/other')).toContain('No stored document has this package');
  },
);
