// The advisories about a version in a cell of a table. Malware is called malware.

import type { Child } from 'hono/jsx';
import { Badge } from '../../components/badge.tsx';

interface ConcernsProps {
  readonly advisories: readonly { readonly id: string; readonly title: string; readonly severity: string | null }[];
  readonly malware: boolean;
}

const mostShown = 3;

export function Concerns({ advisories, malware }: ConcernsProps): Child {
  return (
    <div class="stack-tight">
      {malware ? (
        <div>
          <MalwareBadge />
        </div>
      ) : null}
      {advisories.slice(0, mostShown).map(({ id, title, severity }) => (
        <span class="breaks">
          {title} <span class="soft small">{severity === null ? id : `${severity}, ${id}`}</span>
        </span>
      ))}
      {advisories.length > mostShown ? <span class="soft small">and {advisories.length - mostShown} more</span> : null}
    </div>
  );
}

export function MalwareBadge(): Child {
  return (
    <Badge kind="bad" icon="shield-alert">
      malware
    </Badge>
  );
}
