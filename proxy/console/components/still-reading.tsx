// A remark on lists of mirrored packages: some are missing soon after the start of the server.

import type { Child } from 'hono/jsx';
import { Notice } from './notice.tsx';
import { formatNumber } from './values.tsx';

/** undefined: all packages are read. */
export type Reading = { readonly read: number; readonly of: number } | undefined;

export function StillReading({ reading }: { readonly reading: Reading }): Child {
  if (reading === undefined) return null;
  const { read, of } = reading;
  return (
    <Notice kind="info">
      Still reading mirrored packages{of === 0 ? '' : `: ${formatNumber(read)} of ${formatNumber(of)} are listed`}. Open
      the page again in a moment.
    </Notice>
  );
}
