// Walks through the pages of the identity provider of tests: as a browser without JavaScript, or in a real browser.

import type { Page } from 'playwright-core';
import { Agent } from 'undici';

/** A browser without JavaScript at the provider. Its cookies stay, so that a second sign-in asks for no login name. */
export interface ProviderVisitor extends AsyncDisposable {
  /**
   * Opens an address of the provider, signs in as `login`, allows, and returns the first address outside of the
   * provider that it is sent to. `refuses`: the person refuses instead.
   */
  readonly signInAt: (address: string, login: string, refuses?: boolean) => Promise<URL>;
  /** Opens the provider's address for signing out, confirms, and returns where it is sent to. */
  readonly signOutAt: (address: string) => Promise<URL>;
  /** true if the provider asked for the login name during the last sign-in */
  readonly wasAsked: () => boolean;
  readonly cookies: Map<string, string>;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly html: string;
}

interface Form {
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function createProviderVisitor(): ProviderVisitor {
  const agent = new Agent();
  const cookies = new Map<string, string>();
  let asked = false;
  return {
    cookies,
    wasAsked: () => asked,
    signInAt: async (address, login, refuses = false) => {
      asked = false;
      return walk(agent, cookies, address, ({ html }) => {
        if (html.includes('Unknown person') || !html.includes('<form')) return undefined;
        asked ||= html.includes('name="login"');
        return { fields: refuses ? { refuse: '1' } : { login } };
      });
    },
    signOutAt: (address) =>
      walk(agent, cookies, address, ({ html }) => {
        const [, action] = /action="([^"]+)"/.exec(html) ?? [];
        const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(html) ?? [];
        if (action === undefined || xsrf === undefined) return undefined;
        return { action, fields: { xsrf, logout: 'yes' } };
      }),
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

/** Follows the provider until it leads elsewhere. `fill`: the form of a page; undefined: it has none, which throws. */
async function walk(
  agent: Agent,
  cookies: Map<string, string>,
  address: string,
  fill: (page: Answer) => Form | undefined,
): Promise<URL> {
  let url = new URL(address);
  const { origin } = url;
  let form: Form | undefined;
  for (let step = 0; step < 12; step += 1) {
    if (form?.action !== undefined) url = new URL(form.action, url);
    const page = await send(agent, cookies, url, form);
    const isRedirect = page.status >= 300 && page.status < 400;
    form = isRedirect ? undefined : fill(page);
    if (isRedirect) {
      url = new URL(String(page.location), url);
      if (url.origin !== origin) return url;
    } else if (form === undefined)
      throw new Error(`the provider answered ${page.status} to ${url.pathname}: ${page.html}`);
  }
  throw new Error(`the provider never sent the browser back, and last to ${url.href}`);
}

async function send(agent: Agent, cookies: Map<string, string>, url: URL, form: Form | undefined): Promise<Answer> {
  const { origin, pathname, search } = url;
  const answer = await agent.request({
    origin,
    path: `${pathname}${search}`,
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    body: form === undefined ? null : new URLSearchParams(form.fields).toString(),
  });
  for (const one of [answer.headers['set-cookie'] ?? []].flat()) keep(cookies, one);
  const location = [answer.headers['location']].flat()[0];
  return { status: answer.statusCode, location, html: await answer.body.text() };
}

function keep(cookies: Map<string, string>, set: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
  if (value === '' || /expires=Thu, 01 Jan 1970/i.test(set)) cookies.delete(name);
  else cookies.set(name, value);
}

/** Walks a real browser through the pages of the provider, until it is on a page of `origin`. */
export async function signInOnPage(page: Page, login: string, origin: string): Promise<void> {
  await page.waitForSelector('input[name=login]');
  await page.fill('input[name=login]', login);
  await page.click('#login');
  await page.waitForFunction(
    `location.href.startsWith(${JSON.stringify(origin)}) || document.querySelector('#consent') !== null`,
  );
  if (await page.$('#consent')) await page.click('#consent');
  await page.waitForURL((url) => url.href.startsWith(origin));
}
