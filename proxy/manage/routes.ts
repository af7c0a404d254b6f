// Every operation of the management API, a file for each group, and what they need.

import type { Sessions } from '../auth/sessions.ts';
import type { Api } from './api.ts';
import { registerArtifacts, type ArtifactServices } from './routes/artifacts.ts';
import { registerAuthentication, type AuthenticationServices } from './routes/authentication.ts';
import { registerRepositories, type RepositoryServices } from './routes/repositories.ts';
import { registerTokens, type TokenServices } from './routes/tokens.ts';
import { registerTwoFactor } from './routes/two-factor.ts';
import { registerUsers, type UserServices } from './routes/users.ts';

export interface Services extends ArtifactServices, AuthenticationServices, RepositoryServices, TokenServices, UserServices {
  readonly sessions: Sessions;
}

export function registerRoutes(api: Api, services: Services): void {
  registerArtifacts(api, services);
  registerAuthentication(api, services);
  registerRepositories(api, services);
  registerTokens(api, services);
  registerTwoFactor(api, services);
  registerUsers(api, services);
}
