// Where an invited person chooses a password, as far as the configuration tells it. A console with an address of its own
// is not below the address of the registry.

import type { InvitationPage } from '../../proxy/auth/invitation-link.ts';
import type { Config } from './config.ts';

export function invitationPage({
  features,
  consoleListen,
}: Pick<Config, 'features' | 'consoleListen'>): InvitationPage {
  return features.value.includes('console') && consoleListen.value === undefined ? 'console' : 'explorer';
}
