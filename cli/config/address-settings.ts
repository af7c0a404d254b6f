// The address of the registry as clients write it. Messages name it, and its path begins every address in packages.json
// (public-url.ts).

import { parseAddress } from '../../build/contract/address.ts';
import type { Setting } from './setting.ts';
import { webFault } from './setting-values.ts';

/** An http(s) address without user, query and fragment; a slash at its end is dropped. */
export function parsePublicUrl(raw: unknown): string | undefined {
  const parsed = typeof raw === 'string' ? parseAddress(raw) : undefined;
  if (parsed === undefined || 'refusal' in parsed) return undefined;
  const { protocol, search, hash, username, password, href } = parsed.url;
  const isPlain = `${search}${hash}${username}${password}` === '';
  return isPlain && /^https?:$/.test(protocol) ? href.replace(/\/+$/, '') : undefined;
}

const publicUrl: Setting<string | undefined> = {
  key: 'publicUrl',
  flag: undefined,
  variable: 'LIBRETTO_PUBLIC_URL',
  purpose: 'the address of the registry for its clients; packages.json follows its path',
  allowed: 'an http(s) address without user, query and fragment, such as https://packages.example.org',
  parse: parsePublicUrl,
  reason: webFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: String.raw`^https?://[^\s@?#\u0000-\u001f\u007f]+$` },
};

export const addressSettings = { publicUrl };
