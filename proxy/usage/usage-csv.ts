// Who uses a package as lines of a CSV file, for the command and the console.

import { csvLine } from '../../build/shared/text/csv-line.ts';
import type { UsageDocument } from './usage-schema.ts';

const header =
  'token,description,kind,status,owner,version,state,fixed_in,first_used_on,last_used_on,last_installed_on,downloads,installs';

export function usageCsv({ data }: Pick<UsageDocument, 'data'>): readonly string[] {
  return [
    header,
    ...data.map(({ token, version, state, fixed_in, first_used_on, last_used_on, ...more }) => {
      const { last_installed_on, downloads, installs } = more;
      const user = [token?.id, token?.description, token?.kind, token?.status, token?.owner];
      const use = [
        version,
        state,
        fixed_in,
        first_used_on,
        last_used_on,
        last_installed_on,
        String(downloads),
        String(installs),
      ];
      return csvLine([...user, ...use].map((text) => (text ?? '').replaceAll(/\p{Cc}/gu, ' ')));
    }),
  ];
}
