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
import { registerAuditPages } from './pages/audit/audit-list.tsx';
import { registerComparePage } from './pages/compare/compare.tsx';
import { registerConnectionPages } from './pages/connections/connections.tsx';
import { registerDevicePages } from './pages/device/device-pages.tsx';
import { registerHealthPage } from './pages/health/health-page.tsx';
import { registerHistoryPages } from './pages/history/history.tsx';
import { registerHookPages } from './pages/hooks/hook-pages.tsx';
import { registerMirrorPages } from './pages/mirror/mirror-overview.tsx';
import { registerNotificationPages } from './pages/notifications/notifications.tsx';
import { registerOverviewPage } from './pages/overview/overview-page.tsx';
import { registerPackagePages } from './pages/packages/packages.tsx';
import { registerPeoplePages } from './pages/people/people-pages.tsx';
import { registerPolicyPages } from './pages/policy/policy-pages.tsx';
import { registerPublisherPages } from './pages/publishers/publishers.tsx';
import { registerRepositoryPages } from './pages/repositories/repositories.tsx';
import { registerSearchPage } from './pages/search/search-page.tsx';
import { registerSettingsPages } from './pages/settings/settings-list.tsx';
import { registerProjectPages } from './pages/security/project-pages.tsx';
import { registerSecurityPage } from './pages/security/security-page.tsx';
import { registerSignInPages } from './pages/sign-in/sign-in-pages.ts';
import { registerTeamPages } from './pages/teams/teams.tsx';
import { registerTokenPages } from './pages/tokens/tokens.tsx';
import { registerUploadPages } from './pages/uploads/uploads.tsx';
import type { Together } from '../registry/operation.ts';

/** Every page of the console, in order: where two paths fit, the page that was added first wins. */
const registrations = [
  registerSignInPages,
  registerAccountPages,
  registerDevicePages,
  registerOverviewPage,
  registerPackagePages,
  registerSecurityPage,
  registerProjectPages,
  registerTokenPages,
  registerPeoplePages,
  registerAuditPages,
  registerSettingsPages,
  registerSearchPage,
  registerMirrorPages,
  registerComparePage,
  registerHistoryPages,
  registerHealthPage,
  registerHookPages,
  registerRepositoryPages,
  registerConnectionPages,
  registerUploadPages,
  registerNotificationPages,
  registerPublisherPages,
  registerPolicyPages,
  registerTeamPages,
] as const;

/** What all pages call: the services of each registration together. */
export type ConsoleServices = Together<Parameters<(typeof registrations)[number]>[1]>;

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
  for (const register of registrations) register(pages, services);
  return pages;
}
