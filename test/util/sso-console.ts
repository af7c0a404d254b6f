// The console with an identity provider: both on real sockets, and a person who walks from one to the other and back.

import type { IdentityProvider } from '../../proxy/sso/model/provider.ts';
import { standardProvider } from './sso-provider.ts';
import { createProviderVisitor, type ProviderVisitor } from './identity-provider-visitor.ts';
import { clientSecret, startIdentityProvider, type IdentityProvider as TestProvider } from './identity-provider.ts';
import {
  runConsole,
  type ConsoleOptions,
  type PageReply,
  type RunningConsole,
  type TestBrowser,
} from './running-console.ts';

export interface SsoConsole extends AsyncDisposable {
  readonly console: RunningConsole;
  readonly provider: TestProvider;
  /** A person at a computer: one browser for both servers. `id`: of the provider; default: acme. */
  readonly person: (id?: string) => Promise<SsoPerson>;
}

export interface SsoPerson {
  readonly browser: TestBrowser;
  readonly visitor: ProviderVisitor;
  /** Presses the button of the provider. Returns the address that the page leads to. */
  readonly leave: (next?: string) => Promise<string>;
  /** Signs in at the provider as `login`, and opens the callback. */
  readonly signIn: (login: string, next?: string) => Promise<PageReply>;
  /** Opens the callback that the provider sent the browser to. */
  readonly arrive: (back: URL) => Promise<PageReply>;
}

/** `settings`: of the provider in libretto.json. `others`: providers beside it. */
export async function runSsoConsole(
  settings: Partial<IdentityProvider> = {},
  options: ConsoleOptions = {},
  others: readonly IdentityProvider[] = [],
): Promise<SsoConsole> {
  const provider = await startIdentityProvider();
  const identity = { ...standardProvider, issuer: provider.url, ...settings };
  const console = await runConsole({
    identityProviders: [identity, ...others],
    environment: { ACME_SECRET: clientSecret },
    ...options,
  });
  await provider.register(console.origin, identity.id);
  const visitors: ProviderVisitor[] = [];
  return {
    console,
    provider,
    person: async (id = identity.id) => {
      const visitor = createProviderVisitor();
      visitors.push(visitor);
      return personOf(console.browser(), visitor, id);
    },
    [Symbol.asyncDispose]: async () => {
      await console[Symbol.asyncDispose]();
      for (const visitor of visitors) await visitor[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

function personOf(browser: TestBrowser, visitor: ProviderVisitor, id: string): SsoPerson {
  const leave = async (next?: string): Promise<string> => {
    const page = await browser.post(`/sso/${id}${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`, {});
    const address = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page.html)?.[1];
    if (address === undefined) throw new Error(`the page leads nowhere: ${page.status} ${page.text}`);
    return address.replaceAll('&amp;', '&');
  };
  const arrive = (back: URL): Promise<PageReply> => browser.send('GET', `${back.pathname}${back.search}`);
  return {
    browser,
    visitor,
    leave,
    arrive,
    signIn: async (login, next) => arrive(await visitor.signInAt(await leave(next), login)),
  };
}
