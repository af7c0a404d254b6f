// The registries that the mirror asks, in their order.

import type { Child } from 'hono/jsx';
import type { MirrorRegistry } from '../../../mirror/mirror-report.ts';
import { publicRegistry } from '../../../mirror/rules/upstream-problems.ts';
import { Badge } from '../../components/badge.tsx';
import { Table, type Column } from '../../components/table.tsx';

export function RegistryList({ registries }: { readonly registries: readonly MirrorRegistry[] }): Child {
  return (
    <section class="stack-tight">
      <h2>Registries</h2>
      <p class="soft">A package comes from the first registry that has it.</p>
      <Table caption="Registries" columns={columns} rows={registries} />
    </section>
  );
}

const columns: readonly Column<MirrorRegistry>[] = [
  { label: 'Address', cell: ({ url }) => <span class="breaks">{url}</span> },
  {
    label: 'Name',
    cell: ({ id }) => (id === publicRegistry ? 'the public registry' : <code class="breaks">{id}</code>),
  },
  { label: 'Packages', cell: (registry) => <span class="breaks">{filterText(registry)}</span> },
  {
    label: 'State',
    cell: ({ problem }) =>
      problem === undefined ? (
        <Badge kind="good">in use</Badge>
      ) : (
        <div class="stack-tight">
          <Badge kind="bad" icon="circle-x">
            not used
          </Badge>
          <span class="small prose">{problem}</span>
        </div>
      ),
  },
];

function filterText({ allow, deny }: MirrorRegistry): string {
  const allowed = allow.length === 0 ? 'all' : allow.join(', ');
  return deny.length === 0 ? allowed : `${allowed}, except ${deny.join(', ')}`;
}
