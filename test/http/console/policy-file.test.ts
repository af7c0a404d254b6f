// Tests what the console and the API say of a policy file that gets a fault while the shipped program serves.

import { writeFileSync } from 'node:fs';
import { Agent } from 'undici';
import { expect, it } from 'vitest';
import { startManagedRegistry } from '../../util/managed-registry.ts';
import { createBrowser } from '../../util/running-console.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';

it('a faulty policy file changes nothing, and the page of the policy names the fault', async () => {
  const folder = temporaryFolder('policy-file');
  const file = folder.at('policy.json');
  const rules = [{ rule: 'abandoned', name: 'old-ones', action: 'warn' }];
  writeFileSync(file, JSON.stringify({ rules }));
  await using registry = await startManagedRegistry({ policy: file });
  const agent = new Agent();
  const browser = createBrowser(agent, registry.url());
  browser.cookies.set(`libretto-session-${new URL(registry.url()).port}`, registry.session);
  expect((await registry.api('GET', '/api/policy')).json).toMatchObject({ rules, file, fault: null });
  expect((await browser.get('/policy')).text).not.toContain('has a fault');

  writeFileSync(file, JSON.stringify({ rules: [{ ...rules[0], action: 'deny' }] }));
  const fault = expect.stringContaining('policy.json cannot be used: rules[0].action') as string;
  expect((await registry.api('GET', '/api/policy')).json).toMatchObject({ rules, file, fault });
  const { text } = await browser.get('/policy');
  expect(text).toContain('The policy file has a fault. The last good policy, which you see here, stays in effect.');
  expect([text.includes('rules[0].action'), text.includes('old-ones')]).toEqual([true, true]);
  await agent.close();
  await folder.remove();
});
