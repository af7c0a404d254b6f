// `libretto project list`: the projects that reported what they run.

import { listProjects } from '../../../proxy/usage/operations.ts';
import { formatTable } from '../../io/output.ts';
import { operationCommand } from '../operation-command.ts';
import { usageNoun } from './usage.ts';

export const { run } = operationCommand(
  { ...usageNoun, name: 'project' },
  async ({ all, operands: [q], print }) => {
    const projects = await all(listProjects, { q });
    const rows = projects.map((one) => [one.id, one.reported_on, `${one.packages}`, `${one.exposed}`, one.name]);
    const table = formatTable(['ID', 'LAST REPORT', 'PACKAGES', 'WITH ADVISORY', 'NAME'], rows);
    print({ projects }, () => (rows.length === 0 ? ['No project. `libretto report` reports one.'] : table));
  },
  { area: 'all' },
);
