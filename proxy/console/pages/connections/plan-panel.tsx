// What a connection would register, before it is stored.

import type { Child } from 'hono/jsx';
import { skipReasons } from '../../../forges/model/forge-repository.ts';
import type { ConnectionPlan } from '../../../forges/plan-connection.ts';
import type { RefreshStep } from '../../../forges/refresh/refresh-step.ts';
import { Notice } from '../../components/notice.tsx';
import { counted } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';

const mostRows = 200;

export function PlanPanel({ plan: { finished, message, steps } }: { readonly plan: ConnectionPlan }): Child {
  const found = steps.filter(({ step }) => step === 'registered');
  const shown = [...found, ...steps.filter(({ step }) => step !== 'registered')].slice(0, mostRows);
  const isMore = steps.length > shown.length;
  return (
    <section class="stack">
      <Notice kind={finished ? 'good' : 'warn'}>
        {`${counted(found.length, 'repository', 'repositories')} would be registered.`}
        {message === null ? null : ` ${message}`} Nothing is stored yet. Enter the token again to connect.
      </Notice>
      {shown.length === 0 ? null : <Table caption="What would be registered" columns={columns} rows={shown} />}
      {isMore ? <p class="soft small">{`and ${steps.length - shown.length} more`}</p> : null}
    </section>
  );
}

const columns: readonly Column<RefreshStep>[] = [
  { label: 'Repository', cell: ({ path }) => path },
  { label: 'Package', cell: (step) => (step.step === 'registered' ? <code>{step.package}</code> : '') },
  { label: 'Why not', cell: (step) => (step.step === 'skipped' ? skipReasons[step.reason] : '') },
];
