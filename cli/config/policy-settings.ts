// The setting of the policy: the file with the rules of the registry.

import { parseDirectory, pathFault } from './setting-values.ts';
import type { Setting } from './setting.ts';
import { plainText } from './text-schemas.ts';

const policy: Setting<string | undefined> = {
  key: 'policy',
  flag: '--policy <file>',
  variable: 'LIBRETTO_POLICY',
  purpose: 'the file with the rules about versions, policy.json; without it the rules are in the state',
  allowed: 'a JSON file',
  parse: parseDirectory,
  reason: pathFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: plainText },
};

export const policySettings = { policy };
