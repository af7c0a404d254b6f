// The mail server of a command that needs one.

import type { Config } from '../../config/config.ts';
import type { MailServer } from '../../config/mail-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

/** Throws UsageError if the registry sends no mail. */
export function assertMailServer({ mail, features }: Pick<Config, 'mail' | 'features'>): MailServer {
  if (mail.value === undefined)
    throw new UsageError(
      'No mail server is configured. Set "mail" in libretto.json, such as "smtp://USER@mail.example.org:587", or ' +
        'LIBRETTO_MAIL.',
    );
  if (!features.value.includes('notifications'))
    throw new UsageError(
      'The registry sends no mail: its configuration leaves out the feature notifications. Add it to "features" in ' +
        'libretto.json.',
    );
  return mail.value;
}
