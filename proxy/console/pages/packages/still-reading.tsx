// A remark on lists of mirrored packages: some are missing soon after the start of the server.

import type { Child } from 'hono/jsx';
import type { FirstReading } from '../../../mirror/stored-package-reader.ts';
import { Notice } from '../../components/notice.tsx';
import { formatNumber } from '../../components/values.tsx';

export function StillReading({ reading }: { readonly reading: FirstReading | undefined }): Child {
  if (reading === undefined) return null;
  const { read, of } = reading;
  return (
    <Notice kind="info">
      Still reading mirrored packages{of === 0 ? '' : `: ${formatNumber(read)} of ${formatNumber(of)} are listed`}. Open
      the page again in a moment.
    </Notice>
  );
}
