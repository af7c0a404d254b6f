// The address of the registry as clients write it. Messages name it, and its path begins every address in packages.json
// (public-url.ts).

import { webAddressAllowed, webAddressPattern } from '../../build/contract/registry-address.ts';
import type { Setting } from './setting.ts';
import { parseWebAddress, webFault } from './setting-values.ts';

const publicUrl: Setting<string | undefined> = {
  key: 'publicUrl',
  flag: undefined,
  variable: 'LIBRETTO_PUBLIC_URL',
  purpose: 'the address of the registry for its clients; packages.json follows its path',
  allowed: `an ${webAddressAllowed}, such as https://packages.example.org`,
  parse: (raw) => parseWebAddress(raw)?.replace(/\/packages\.json$/, ''),
  reason: webFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: webAddressPattern },
};

export const addressSettings = { publicUrl };
