// The settings of the policy: the file with the rules of the registry, and OSV, the database of security advisories.

import { parseWebAddress, webFault } from './setting-values.ts';
import { pathSetting, type Setting } from './setting.ts';
import { webAddressAllowed, webAddressPattern } from '../../build/contract/registry-address.ts';

const policy = pathSetting({
  key: 'policy',
  flag: '--policy <file>',
  variable: 'LIBRETTO_POLICY',
  purpose: 'the file with the rules about versions, policy.json; without it the rules are in the state',
  allowed: 'a JSON file',
});

export const policySettings = { policy };

/** Which package names OSV learns: none, those of mirrored packages, or the private ones too. */
type OsvNames = 'off' | 'mirrored' | 'all';

const words: readonly OsvNames[] = ['off', 'mirrored', 'all'];

const osvNames: Setting<OsvNames> = {
  key: 'osv.names',
  variable: 'LIBRETTO_OSV_NAMES',
  purpose: 'the package names that OSV is asked about: none, those of mirrored packages, or private ones too',
  allowed: 'off, mirrored or all',
  parse: (raw) => words.find((word) => word === raw),
  standard: () => 'off',
  schema: { enum: [...words] },
};

const osvUrl: Setting<string> = {
  key: 'osv.url',
  variable: 'LIBRETTO_OSV_URL',
  purpose: 'the address of OSV, or of a copy of it',
  allowed: `an ${webAddressAllowed}`,
  parse: parseWebAddress,
  reason: webFault,
  standard: () => 'https://api.osv.dev',
  schema: { type: 'string', pattern: webAddressPattern },
};

export const osvSettings = { osvNames, osvUrl };
