// Tests that a source of the policy that fails is the error of the request alone. A rejection that nobody handles fails
// the test run, as it would end a server.

import { expect, it } from 'vitest';
import { noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { createPolicyReader } from '../../../../../proxy/policy/apply/policy-reader.ts';
import { noPolicy, type PolicyDocument } from '../../../../../proxy/policy/model/policy-document.ts';
import { settingDefinitions, type SettingValues } from '../../../../../proxy/settings/definitions.ts';

const values = Object.fromEntries(
  Object.entries(settingDefinitions).map(([key, { standard }]) => [key, standard]),
) as unknown as SettingValues;
const away = (): Promise<never> => Promise.reject(new Error('the state is away'));

it.each(['settings', 'document', 'both'])(
  'is refused while a source fails, and works again after it: %s',
  async (which) => {
    let fails = false;
    const reader = createPolicyReader({
      settings: { current: () => (fails && which !== 'document' ? away() : values) },
      document: () => (fails && which !== 'settings' ? away() : noPolicy),
    });
    const before = await reader.current(0);
    fails = true;
    for (let time = 0; time < 3; time += 1) await expect(reader.current(time)).rejects.toThrow('the state is away');
    fails = false;
    expect(await reader.current(4)).toBe(before);
  },
);

it('stays one object while lists change that no rule reads', async () => {
  let lists = { ...noOutsideLists };
  let rules: PolicyDocument = noPolicy;
  const reader = createPolicyReader({
    settings: { current: () => values },
    document: () => rules,
    outside: () => lists,
  });
  const before = await reader.current(0);
  lists = { ...noOutsideLists };
  expect(await reader.current(1)).toBe(before);
  rules = { rules: [{ rule: 'filter', name: 'no-malware', lists: ['malware'], action: 'block' }], exceptions: [] };
  const reading = await reader.current(2);
  lists = { ...noOutsideLists };
  expect(await reader.current(3)).not.toBe(reading);
});
