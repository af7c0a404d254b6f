// `libretto exposures`: the stored versions with an advisory, who used them last, and the release that fixes them.

import { countUsers, nameOfUser } from '../../../proxy/usage/describe-users.ts';
import { listExposures } from '../../../proxy/usage/operations.ts';
import type { ExposuresDocument } from '../../../proxy/usage/usage-schema.ts';
import { counted, formatTable } from '../../io/output.ts';
import { operationCommand } from '../operation-command.ts';
import { usageNoun } from './usage.ts';

export const { run } = operationCommand(
  usageNoun,
  async ({ call, print }) => print(await call(listExposures, {}), describe),
  {
    area: 'all',
  },
);

function describe({ data, left_out: left, unread, counted_since: since }: ExposuresDocument): readonly string[] {
  const rows = data.map((one) => [
    `${one.package} ${one.version}`,
    one.malware ? 'MALWARE' : (one.advisories.find(({ severity }) => severity !== null)?.severity ?? 'advisory'),
    one.fixed_in ?? 'no release',
    one.last_used_on === null ? '' : `${one.last_used_on}, ${nameOfUser(one.last_used_by)}`,
    countUsers(one),
    one.advisories.map(({ title }) => title).join('; '),
  ]);
  const head = ['VERSION', 'SEVERITY', 'FIXED IN', 'LAST USE', 'USED BY', 'ADVISORIES'];
  return [
    ...(rows.length === 0 ? ['No stored version has an advisory.'] : formatTable(head, rows)),
    ...(left === 0 ? [] : [`and ${counted(left, 'more version')}`]),
    ...unread.map((name) => `${name} is damaged: whether it has an advisory is unknown.`),
    ...(since === null ? ['Who used them is not counted. `libretto settings set statistics.by token` counts it.'] : []),
  ];
}
