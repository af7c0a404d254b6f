// Tests docs/libretto-policy.schema.json (`npx vitest -u` writes it anew): it accepts and refuses as the parser does,
// except for what a schema cannot express.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../../../../../build/contract/json.ts';
import { policyJsonSchema } from '../../../../../proxy/policy/model/json-schema.ts';
import { parsePolicy } from '../../../../../proxy/policy/model/parse-policy.ts';

const file = new URL('../../../../../docs/libretto-policy.schema.json', import.meta.url).pathname;
const validate = new Ajv2020({ validateFormats: false, allowUnionTypes: true, discriminator: false }).compile(
  policyJsonSchema(),
);
const rule = { name: 'age', rule: 'age', days: 3, action: 'block' };
const exception = { rule: 'age', packages: ['acme/x'], owner: 'ann', reason: 'urgent', until: '2026-12-31' };

describe('docs/libretto-policy.schema.json', () => {
  it('equals the schema of the program', async () => {
    await expect(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it.each<JsonValue>([
    { rules: [] },
    { $schema: './libretto-policy.schema.json', rules: [rule], exceptions: [exception] },
    {
      rules: [
        { name: 'a', rule: 'advisories', action: 'block', severity: 'high', ignore: ['CVE-2026-1'], tokens: ['tok_1'] },
        { name: 'b', rule: 'filter', action: 'log', lists: ['malware'], packages: ['acme/*'], except: ['acme/x'] },
        {
          name: 'c',
          rule: 'license',
          action: 'warn',
          allow: ['MIT', 'BSD-*'],
          origin: 'mirrored',
          stability: 'stable',
        },
        { name: 'd', rule: 'abandoned', action: 'block', archives: 'serve', message: 'Ask us.' },
        { name: 'e', rule: 'plugin', action: 'block', allow: [] },
        { name: 'f', rule: 'required', action: 'block', fields: ['license', 'readme', 'signed-tag'] },
        { name: 'g', rule: 'source', action: 'block', packages: ['acme/*'] },
        { name: 'h', rule: 'composer', action: 'block', versions: '>=2.2' },
      ],
    },
  ])('accepts what the parser accepts', (policy) => {
    expect([validate(policy), parsePolicy(policy)]).toEqual([
      true,
      expect.objectContaining({ policy: expect.anything() }),
    ]);
  });

  it.each<JsonValue>([
    {},
    { rules: [{ ...rule, days: 0 }] },
    { rules: [{ ...rule, more: 1 }] },
    { rules: [{ ...rule, rule: 'years' }] },
    { rules: [{ ...rule, name: 'With Blank' }] },
    { rules: [rule], exceptions: [{ ...exception, until: 'soon' }] },
    { rules: [rule], exceptions: [{ ...exception, owner: '' }] },
    { rules: [{ name: 'g', rule: 'source', action: 'warn' }] },
    { rules: [{ name: 'f', rule: 'required', action: 'block', fields: ['tests'] }] },
  ])('refuses what the parser refuses: %j', (policy) => {
    expect([validate(policy), parsePolicy(policy)]).toEqual([false, { issues: expect.anything() as never }]);
  });
});
