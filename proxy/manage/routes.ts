// Every operation of the management API, a file for each group, and what they need.

import type { Sessions } from '../auth/sessions.ts';
import type { Api } from './api.ts';
import { registerTokens, type TokenServices } from './routes/tokens.ts';

export interface Services extends TokenServices {
  readonly sessions: Sessions;
}

export function registerRoutes(api: Api, services: Services): void {
  registerTokens(api, services);
}
