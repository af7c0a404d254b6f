// What `verify` checks of the published advisories and filter lists: that they can be read, and are as they were
// written.

import { isAsWritten } from '../contract/checksum.ts';
import { parseSafety, safetyPath } from '../contract/safety-lists.ts';
import type { Output } from '../output/output.ts';
import { indexFault, type Fault } from './verify-fault.ts';

const repair = 'Build with the libretto.json that names them, which writes it again, or restore it from a backup.';

export async function verifySafety(output: Output): Promise<readonly Fault[]> {
  const place = { path: `index/${safetyPath}` };
  const text = await output.read('index', safetyPath);
  if (text === undefined) return [];
  try {
    parseSafety(text);
    return isAsWritten(text)
      ? []
      : [
          {
            code: 'MALFORMED_INDEX',
            ...place,
            message: `It was changed after it was written: its checksum is wrong. ${repair}`,
          },
        ];
  } catch (error) {
    return [indexFault(error, place, repair)];
  }
}
