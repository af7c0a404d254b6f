// Whether something was added, removed or changed between two versions, as a badge.

import type { Child } from 'hono/jsx';
import type { ComparedFile } from '../../../contents/compare-files.ts';
import { Badge } from '../../components/badge.tsx';

const badges = {
  added: { kind: 'good', icon: 'plus' },
  removed: { kind: 'bad', icon: 'circle-minus' },
  changed: { kind: 'warn', icon: 'pencil' },
  same: { kind: 'info', icon: 'check' },
} as const;

export function ChangeBadge({ state }: Pick<ComparedFile, 'state'>): Child {
  return <Badge {...badges[state]}>{state}</Badge>;
}
