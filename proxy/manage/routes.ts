// Registers every operation of the management API: one file for each group, with its services.

import type { Sessions } from '../auth/sessions.ts';
import type { Counters } from '../core/limits/counters.ts';
import { addOperations } from './frame/add-operations.ts';
import type { Api } from './frame/api.ts';
import { artifactOperations, type ArtifactServices } from '../artifacts/operations.ts';
import { registerUpload, type UploadServices } from './routes/upload.ts';
import { registerAudit, type AuditServices } from './routes/audit.ts';
import { registerAuthentication, type AuthenticationServices } from './routes/authentication.ts';
import { registerConnections, type ConnectionServices } from './routes/connections.ts';
import { registerDescription, type DescriptionServices } from './routes/description.ts';
import { registerDeviceSignIn, type DeviceServices } from './routes/device-sign-in.ts';
import { registerHooks, type HookServices } from './routes/hooks.ts';
import { registerNotifications, type NotificationServices } from './routes/notifications.ts';
import { registerOwnTokens, type OwnTokenServices } from './routes/own-tokens.ts';
import { packageOperations, type PackageServices } from '../packages/operations.ts';
import { purgeOperations, type PurgeServices } from '../packages/purge-operations.ts';
import { registerPackageTexts } from './routes/package-texts.ts';
import { policyOperations } from '../policy/admin/operations.ts';
import { registerPolicy, type PolicyServices } from './routes/policy.ts';
import { describeProtocol } from './routes/protocol.ts';
import { registerPasskeys, type PasskeyServices } from './routes/passkeys.ts';
import { publisherOperations, type PublisherServices } from '../publishers/operations.ts';
import { registerIdTokens, type IdTokenServices } from './routes/id-tokens.ts';
import { repositoryOperations, type RepositoryServices } from '../sync/operations.ts';
import { registerSettings, type SettingServices } from './routes/settings.ts';
import { registerStatus, type StatusServices } from './routes/status.ts';
import { teamOperations, type TeamServices } from '../teams/operations.ts';
import { registerTokens, type TokenServices } from './routes/tokens.ts';
import { registerTwoFactor } from './routes/two-factor.ts';
import { registerUsers, type UserServices } from './routes/users.ts';

export interface Services
  extends
    ArtifactServices,
    AuditServices,
    AuthenticationServices,
    ConnectionServices,
    DescriptionServices,
    DeviceServices,
    HookServices,
    IdTokenServices,
    NotificationServices,
    OwnTokenServices,
    PackageServices,
    PasskeyServices,
    PolicyServices,
    Omit<PublisherServices, 'oidc'>,
    PurgeServices,
    RepositoryServices,
    SettingServices,
    StatusServices,
    TeamServices,
    TokenServices,
    UploadServices,
    UserServices {
  readonly sessions: Sessions;
  readonly counters: Pick<Counters, 'peek' | 'degraded'>;
}

export function registerRoutes(api: Api, services: Services): void {
  describeProtocol(api);
  registerDescription(api, services);
  registerUpload(api, services);
  addOperations(api, services, artifactOperations);
  registerAudit(api, services);
  registerAuthentication(api, services);
  registerDeviceSignIn(api, services);
  registerOwnTokens(api, services);
  registerConnections(api, services);
  addOperations(api, services, packageOperations);
  registerPackageTexts(api, services);
  registerPasskeys(api, services);
  addOperations(api, services, policyOperations);
  registerPolicy(api, services);
  addOperations(api, services, publisherOperations);
  registerIdTokens(api, services);
  addOperations(api, services, purgeOperations);
  addOperations(api, services, repositoryOperations);
  registerHooks(api, services);
  registerNotifications(api, services);
  registerSettings(api, services);
  registerStatus(api, services);
  addOperations(api, services, teamOperations);
  registerTokens(api, services);
  registerTwoFactor(api, services);
  registerUsers(api, services);
}
