// The links that differ between two versions.

import type { Child } from 'hono/jsx';
import type { DependencyChange } from '../../../inspection/compare-dependencies.ts';
import { Table } from '../../components/table.tsx';
import { ChangeBadge } from './change-badge.tsx';

export function ChangedDependencies({ changes }: { readonly changes: readonly DependencyChange[] }): Child {
  if (changes.length === 0) return <p class="soft">Both versions have the same dependencies.</p>;
  return <Table caption="Changed dependencies" columns={columns} rows={changes} />;
}

const columns = [
  { label: 'Name', cell: ({ name }: DependencyChange) => <strong>{name}</strong> },
  { label: 'Kind', cell: ({ kind }: DependencyChange) => <span class="soft">{kind}</span> },
  {
    label: 'Change',
    cell: ({ before, after }: DependencyChange) => (
      <ChangeBadge state={before === null ? 'added' : after === null ? 'removed' : 'changed'} />
    ),
  },
  { label: 'From', cell: ({ before }: DependencyChange) => <Constraint text={before} /> },
  { label: 'To', cell: ({ after }: DependencyChange) => <Constraint text={after} /> },
];

function Constraint({ text }: { readonly text: string | null }): Child {
  return text === null ? <span class="soft">none</span> : <code>{text}</code>;
}
