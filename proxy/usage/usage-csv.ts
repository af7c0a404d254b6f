// Who uses a package as lines of a CSV file, for the command and the console.

import { csvLine } from '../../build/shared/text/csv-line.ts';
import type { UsageDocument } from './usage-schema.ts';

const ofUser = ['id', 'description', 'kind', 'status', 'owner'] as const;
const ofUse = ['version', 'state', 'fixed_in', 'first_used_on', 'last_used_on', 'last_installed_on'] as const;
const counts = ['downloads', 'installs'] as const;

export function usageCsv({ data }: Pick<UsageDocument, 'data'>): readonly string[] {
  const lines = data.map((row) => [
    ...ofUser.map((name) => row.token?.[name]),
    ...[...ofUse, ...counts].map((name) => row[name]),
    row.token?.client,
  ]);
  return [['token', ...ofUser.slice(1), ...ofUse, ...counts, 'client'], ...lines].map((cells) =>
    csvLine(cells.map((cell) => String(cell ?? '').replaceAll(/\p{Cc}/gu, ' '))),
  );
}
