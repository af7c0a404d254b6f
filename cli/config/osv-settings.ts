// The settings of OSV, the database of security advisories that the policy may read.

import { webAddressAllowed, webAddressPattern } from '../../build/contract/registry-address.ts';
import { parseWebAddress, webFault } from './setting-values.ts';
import type { Setting } from './setting.ts';

/** Which package names OSV learns: none, those of mirrored packages, or the private ones too. */
export type OsvNames = 'off' | 'mirrored' | 'all';

const words: readonly OsvNames[] = ['off', 'mirrored', 'all'];

const osvNames: Setting<OsvNames> = {
  key: 'osv.names',
  flag: undefined,
  variable: 'LIBRETTO_OSV_NAMES',
  purpose: 'the package names that OSV is asked about: none, those of mirrored packages, or private ones too',
  allowed: 'off, mirrored or all',
  parse: (raw) => words.find((word) => word === raw),
  standard: () => 'off',
  schema: { enum: [...words] },
};

const osvUrl: Setting<string> = {
  key: 'osv.url',
  flag: undefined,
  variable: 'LIBRETTO_OSV_URL',
  purpose: 'the address of OSV, or of a copy of it',
  allowed: `an ${webAddressAllowed}`,
  parse: parseWebAddress,
  reason: webFault,
  standard: () => 'https://api.osv.dev',
  schema: { type: 'string', pattern: webAddressPattern },
};

export const osvSettings = { osvNames, osvUrl };
