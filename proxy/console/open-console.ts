// Puts the console together: its pages, its files, and the services that the pages call.

import { personalTokens } from '../auth/personal-tokens.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { isSignedBy, seemsSigned } from '../registry/signed-link.ts';
import type { Visit } from './request/visit.ts';
import { createAssets, readAssetFiles } from './assets/assets.ts';
import { createConsole, type Console, type ConsoleParts } from './console.ts';
import { createProviderCalls } from './provider-calls.ts';
import { Pages } from './frame/pages.ts';
import { registerAccountPages } from './pages/account/account-pages.ts';
import type { AccountServices } from './pages/account/services.ts';
import { registerAuditPages, type AuditPageServices } from './pages/audit/audit-list.tsx';
import { registerComparePage, type ComparePageServices } from './pages/compare/compare.tsx';
import { registerConnectionPages } from './pages/connections/connections.tsx';
import type { ConnectionPageServices } from './pages/connections/services.ts';
import { registerDevicePages, type DevicePageServices } from './pages/device/device-pages.tsx';
import { registerHealthPage, type HealthPageServices } from './pages/health/health-page.tsx';
import { registerHistoryPages, type HistoryPageServices } from './pages/history/history.tsx';
import { registerHookPages } from './pages/hooks/hook-pages.tsx';
import type { HookPageServices } from './pages/hooks/services.ts';
import { registerMirrorPages, type MirrorPageServices } from './pages/mirror/mirror-overview.tsx';
import { registerNotificationPages } from './pages/notifications/notifications.tsx';
import type { NotificationPageServices } from './pages/notifications/services.ts';
import { registerOverviewPage } from './pages/overview/overview-page.tsx';
import type { OverviewServices } from './pages/overview/read-overview.ts';
import type { PackagePageServices } from './pages/package/open-package.ts';
import { registerPackagePages } from './pages/packages/packages.tsx';
import { registerPeoplePages } from './pages/people/people-pages.tsx';
import type { PeoplePageServices } from './pages/people/services.ts';
import { registerPolicyPages } from './pages/policy/policy-pages.tsx';
import type { PolicyPageServices } from './pages/policy/services.ts';
import { registerPublisherPages } from './pages/publishers/publishers.tsx';
import type { PublisherPageServices } from './pages/publishers/services.ts';
import { registerRepositoryPages } from './pages/repositories/repositories.tsx';
import { registerSearchPage } from './pages/search/search-page.tsx';
import { registerSettingsPages } from './pages/settings/settings-list.tsx';
import { registerProjectPages } from './pages/security/project-pages.tsx';
import { registerSecurityPage } from './pages/security/security-page.tsx';
import type { SettingsPageServices } from './pages/settings/change-setting.tsx';
import { registerSignInPages, type SignInServices } from './pages/sign-in/sign-in-pages.ts';
import type { TokenPageServices } from './pages/tokens/services.ts';
import type { TeamPageServices } from './pages/teams/services.ts';
import { registerTeamPages } from './pages/teams/teams.tsx';
import { registerTokenPages } from './pages/tokens/tokens.tsx';
import type { UploadPageServices } from './pages/uploads/services.ts';
import { registerUploadPages } from './pages/uploads/uploads.tsx';

export type ConsoleServices = AccountServices &
  ComparePageServices &
  ConnectionPageServices &
  DevicePageServices &
  HealthPageServices &
  HistoryPageServices &
  OverviewServices &
  PackagePageServices &
  HookPageServices &
  UploadPageServices &
  TokenPageServices &
  PeoplePageServices &
  AuditPageServices &
  SettingsPageServices &
  MirrorPageServices &
  NotificationPageServices &
  PolicyPageServices &
  PublisherPageServices &
  SignInServices &
  TeamPageServices;

/** Where the console is, and who may reach it. */
export type ConsolePlace = Pick<ConsoleParts, 'hosts' | 'publicUrl' | 'trustedProxies' | 'allowsPlainHttp'>;

/** Throws if a file of the console is missing: the installation is incomplete then. `pages`: a test adds its own. */
export function openConsole(services: ConsoleServices, place: ConsolePlace, pages = consolePages(services)): Console {
  const { people, passkeys } = services;
  const { sessions, confirmations } = people;
  return createConsole({
    ...place,
    sessions,
    settings: services.settings,
    confirmations,
    check: { byPassword: confirmations.confirm, byPasskey: passkeys.confirm },
    identityProviders: services.singleSignOn?.providers ?? [],
    pages,
    providerCalls: createProviderCalls(services.singleSignOn),
    assets: createAssets(readAssetFiles()),
    hasBuilder: services.dataDirectory !== undefined,
    terminalOf: (visit) => terminalOf(services.state, visit),
  });
}

/** A link without a signature costs no read. */
async function terminalOf(
  state: Pick<StateStore, 'range'>,
  { caller, target, request }: Visit,
): Promise<string | undefined> {
  if (caller === undefined || !seemsSigned(target)) return undefined;
  const tokens = await personalTokens(state, caller.userId, request.nowMs);
  return tokens.find(({ hash }) => isSignedBy(target, hash))?.description;
}

/** Every page of the console. */
export function consolePages(services: ConsoleServices): Pages {
  const pages = new Pages();
  registerSignInPages(pages, services);
  registerAccountPages(pages, services);
  registerDevicePages(pages, services);
  registerOverviewPage(pages, services);
  registerPackagePages(pages, services);
  registerSecurityPage(pages, services);
  registerProjectPages(pages, services);
  registerTokenPages(pages, services);
  registerPeoplePages(pages, services);
  registerAuditPages(pages, services);
  registerSettingsPages(pages, services);
  registerSearchPage(pages, services);
  registerMirrorPages(pages, services);
  registerComparePage(pages, services);
  registerHistoryPages(pages, services);
  registerHealthPage(pages, services);
  registerHookPages(pages, services);
  registerRepositoryPages(pages, services);
  registerConnectionPages(pages, services);
  registerUploadPages(pages, services);
  registerNotificationPages(pages, services);
  registerPublisherPages(pages, services);
  registerPolicyPages(pages, services);
  registerTeamPages(pages, services);
  return pages;
}
