// What must be read again later, and must not be readable in a copy of the state: sealed under a key that lives outside of it.

import type { Secret } from '../auth/secret.ts';

export interface Sealer {
  /** `about`: whose secret it is (a repository's id). A sealed text moved to another one does not open. */
  readonly seal: (secret: Secret, about: string) => string;
  /** Throws where the key is gone, the text was changed, or it is about something else. */
  readonly unseal: (sealed: string, about: string) => Secret;
}
