// What the pages of a person's own account need.

import type { People } from '../../../auth/people.ts';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import type { OwnTokenPageServices } from './own-tokens.tsx';

export interface AccountServices extends OwnTokenPageServices {
  readonly people: People;
  readonly passkeys: Passkeys;
}
