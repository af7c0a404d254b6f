// Compiles a token's limits into a view and the networks of allowed clients. Tokens with equal limits share one
// compiled view, however often the tokens are read again.

import { parseAddressRange, type AddressRange } from '../http/client-address.ts';
import { compileView } from './compile-view.ts';
import type { TokenLimits } from './token-limits.ts';
import type { View } from './view.ts';

export interface Access {
  readonly view: View | undefined;
  readonly networks: readonly AddressRange[] | undefined;
}

/**
 * `capacity`: the number of cached views; a new view replaces the oldest one. The limits are those of a parsed record.
 */
export function compileAccess(capacity: number): (limits: TokenLimits) => Access {
  const viewsByLimits = new Map<string, View | undefined>();
  return ({ networks, packages, constraints, stability, not_after }) => {
    const ranges = networks === null ? undefined : networks.map(requireRange);
    if (packages === null && constraints === null && stability === null && not_after === null)
      return { view: undefined, networks: ranges };
    const key = JSON.stringify([packages, constraints, stability, not_after]);
    const known = viewsByLimits.get(key);
    if (known !== undefined) return { view: known, networks: ranges };
    const view = compileView({ packages, constraints, stability, not_after });
    const [oldest] = viewsByLimits.keys();
    if (viewsByLimits.size >= capacity && oldest !== undefined) viewsByLimits.delete(oldest);
    viewsByLimits.set(key, view);
    return { view, networks: ranges };
  };
}

function requireRange(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (range === undefined) throw new Error('a network of a token is no range of addresses');
  return range;
}
