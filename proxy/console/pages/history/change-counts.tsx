// How many versions a publication added, changed and withdrew, as badges.

import type { Child } from 'hono/jsx';
import type { RecordedPublication } from '../../../inspection/publications.ts';
import { Badge } from '../../components/badge.tsx';
import { formatNumber } from '../../components/quantity.ts';

export function ChangeCounts({ counts }: Pick<RecordedPublication, 'counts'>): Child {
  const { added, changed, withdrawn, packages } = counts;
  return (
    <>
      {added === 0 ? null : (
        <Badge kind="good" icon="plus">
          {formatNumber(added)} added
        </Badge>
      )}
      {changed === 0 ? null : (
        <Badge kind="warn" icon="pencil">
          {formatNumber(changed)} changed
        </Badge>
      )}
      {withdrawn === 0 ? null : (
        <Badge kind="bad" icon="circle-minus">
          {formatNumber(withdrawn)} withdrawn
        </Badge>
      )}
      {added + changed + withdrawn === 0 ? (
        <Badge icon="file-text">{packages === 0 ? 'sources only' : 'metadata only'}</Badge>
      ) : null}
    </>
  );
}
