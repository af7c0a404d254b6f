// The console on a real socket, on the services of a management API with a state in memory. A browser without
// JavaScript visits it: it keeps cookies, and posts forms as browsers do.

import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { composeSingleSignOn, type ComposedSingleSignOn } from '../../cli/compose/sign-in.ts';
import type { IdentityProvider } from '../../proxy/sso/model/provider.ts';
import { createConsoleFeature } from '../../proxy/console/feature.ts';
import { consolePages, openConsole, type ConsoleServices } from '../../proxy/console/open-console.ts';
import type { Pages } from '../../proxy/console/frame/pages.ts';
import type { LocalSignInRule } from '../../proxy/auth/local-sign-in.ts';
import type { Role } from '../../proxy/core/tokens/person.ts';
import type { Certificate } from '../../proxy/core/http/http2/secure-server.ts';
import { parseAddressRange } from '../../proxy/core/http/client-address.ts';
import type { Services } from '../../proxy/manage/routes.ts';
import { createRestorations } from '../../proxy/packages/restorations.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import type { Feature } from '../../proxy/core/protocol/feature.ts';
import type { MirrorReport } from '../../proxy/mirror/mirror-report.ts';
import type { ConfiguredSetting } from '../../proxy/settings/configured-setting.ts';
import type { Baseline } from '../../proxy/settings/settings.ts';
import type { Actor } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createPublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import { withoutBuilder } from '../../cli/inspection/inspection.ts';
import { inspectionServices } from './inspection-services.ts';
import { rememberSecrets } from './leaks.ts';
import { builderOf } from './builder.ts';
import { textOf } from './page-text.ts';
import type { PolicyParts } from './policy-services.ts';
import { runManagement, type RunningManagement, type SignedIn } from './running-management.ts';

export interface ConsoleOptions {
  readonly now?: () => number;
  readonly publicUrl?: string;
  readonly hosts?: readonly string[];
  readonly allowsPlainHttp?: boolean;
  readonly trustedProxies?: readonly string[];
  readonly certificate?: Certificate;
  /** true: browsers speak HTTP/2 */
  readonly http2?: boolean;
  /** settings from the start of the server */
  readonly baseline?: Baseline;
  /** libretto.json */
  readonly settings?: object;
  readonly configuration?: readonly ConfiguredSetting[];
  readonly mirrorReport?: MirrorReport;
  /** default: nothing is mirrored */
  readonly mirrored?: ConsoleServices['mirrored'];
  readonly mirror?: ConsoleServices['mirror'];
  /** false: builds run on another host */
  readonly hasBuilder?: boolean;
  /** true: the registry makes mails, which wait in its state */
  readonly mails?: boolean;
  /** undefined: everybody signs in with a password */
  readonly localSignIn?: LocalSignInRule;
  /** at which people sign in */
  readonly identityProviders?: readonly IdentityProvider[];
  /** the policy file, and the feeds; default: neither */
  readonly policy?: Pick<PolicyParts, 'policyFile' | 'feeds'>;
  readonly register?: NonNullable<Parameters<typeof runManagement>[0]>['register'];
  /** adds pages to those of the program */
  readonly addPages?: (pages: Pages) => void;
  /** of the client secrets */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** the values of Set-Cookie */
  readonly cookies: readonly string[];
  /** the HTML */
  readonly html: string;
  /** the text between the tags, blanks joined */
  readonly text: string;
}

/** One browser: its cookies, and the way it sends requests. */
export interface TestBrowser {
  /** name → value, as it would send them */
  readonly cookies: Map<string, string>;
  /** `path`: below /ui. Redirects are not followed. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<PageReply>;
  /** Sends a form as a page of the console would. */
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<PageReply>;
  /** Any request of this browser, with its cookies alone. `path`: of the server. */
  readonly send: (
    method: 'GET' | 'POST',
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string | Buffer,
  ) => Promise<PageReply>;
}

export interface RunningConsole extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly origin: string;
  /** every page, with what its visitors must be allowed to do */
  readonly definitions: Pages['definitions'];
  readonly browser: () => TestBrowser;
  /** A browser of a new user, signed in on the page. */
  readonly signIn: (role: Role) => Promise<SignedIn & { readonly browser: TestBrowser }>;
}

export async function runConsole(options: ConsoleOptions = {}): Promise<RunningConsole> {
  const { now, certificate, trustedProxies, http2 = false, baseline, settings, mails = false, localSignIn } = options;
  const registry = await runManagement({
    ...(now && { now }),
    ...(certificate && { certificate }),
    ...(trustedProxies && { trustedProxies }),
    ...(baseline && { baseline }),
    ...(settings && { settings }),
    ...passedOn(options),
    mails,
    localSignIn,
    features: (services, state) => [consoleFeature(services, state, options, () => registry)],
  });
  const signOn = singleSignOnOf(registry, options);
  const origin = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${registry.proxy.port}`;
  const agent = new Agent({ connect: { rejectUnauthorized: false }, allowH2: http2 });
  const browser = (): TestBrowser => createBrowser(agent, origin);
  return {
    registry,
    origin,
    definitions: consolePages({
      ...consoleServices(registry.services, registry.state, options),
      singleSignOn: signOn?.singleSignOn,
    }).definitions,
    browser,
    signIn: async (role) => {
      const person = await registry.signIn(role);
      const visitor = browser();
      const { email, password } = person;
      const reply = await visitor.post('/sign-in', { email, password });
      if (reply.status !== 303) throw new Error(`the sign-in was refused: ${reply.text}`);
      return { ...person, browser: visitor };
    },
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      signOn?.close();
      await registry[Symbol.asyncDispose]();
    },
  };
}

function passedOn({ policy, register }: ConsoleOptions): Pick<ConsoleOptions, 'policy' | 'register'> {
  return { ...(policy && { policy }), ...(register && { register }) };
}

function consoleFeature(
  services: Services,
  state: StateStore,
  options: ConsoleOptions,
  registry: () => RunningManagement,
): Feature {
  const { publicUrl, hosts = [], allowsPlainHttp = false, trustedProxies = [] } = options;
  const ranges = trustedProxies.map((text) => parseAddressRange(text)).filter((one) => one !== undefined);
  const place = { publicUrl, hosts: () => hosts, allowsPlainHttp, trustedProxies: ranges };
  return createConsoleFeature(async () => {
    const singleSignOn = singleSignOnOf(registry(), options)?.singleSignOn;
    const all = { ...consoleServices(services, state, options), singleSignOn };
    const pages = consolePages(all);
    options.addPages?.(pages);
    return openConsole(all, place, pages);
  });
}

/** As cli/features/services.ts composes it; providers of tests are on this machine. */
function singleSignOnOf(
  { state, sealer, people, errors }: RunningManagement,
  { identityProviders = [], environment = {}, now = Date.now }: ConsoleOptions,
): ComposedSingleSignOn | undefined {
  const origin = { from: 'default' } as const;
  return composeSingleSignOn(
    { identityProviders: { value: identityProviders, origin }, egressAllow: { value: ['127.0.0.1', '::1'], origin } },
    { now: () => new Date(now()), randomBytes, environment },
    { state, sealer, people, onError: (error) => void (errors as unknown[]).push(error) },
  );
}

/** The services as cli/features/console.ts composes them. */
function consoleServices(
  services: Services,
  state: StateStore,
  { configuration = [], mirrorReport, mirrored, mirror, hasBuilder = true }: ConsoleOptions,
): ConsoleServices {
  const data = services.dataDirectory ?? '';
  let inspection: Promise<Inspection> | undefined;
  const inspected = (opened: Inspection): Inspection => ({ ...opened, ...(hasBuilder ? {} : withoutBuilder) });
  return {
    ...services,
    dataDirectory: hasBuilder ? services.dataDirectory : undefined,
    advisories: createPublishedAdvisories(services.published),
    mirrored,
    mirror,
    mirrorReport,
    configuration,
    inspection: () => (inspection ??= inspectionServices(services, state, data)).then(inspected),
    restorationsOf: (actor: Actor) =>
      createRestorations({ runner: builderOf(data), withdrawals: services.withdrawalsOf(actor), actor }),
  };
}

/** A browser without a cookie. `origin`: of the server. */
export function createBrowser(agent: Agent, origin: string): TestBrowser {
  const cookies = new Map<string, string>();
  const send: TestBrowser['send'] = async (method, path, headers = {}, body = undefined) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await agent.request({
      origin,
      path,
      method,
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      body: body ?? null,
    });
    const html = await answer.body.text();
    const set = [answer.headers['set-cookie'] ?? []].flat();
    for (const one of set) keepCookie(cookies, one);
    return { status: answer.statusCode, headers: answer.headers, cookies: set, html, text: textOf(html) };
  };
  return {
    cookies,
    send,
    get: (path, headers) => send('GET', `/ui${path}`, headers),
    post: (path, fields, headers = {}) => {
      rememberSecrets(fields);
      return send(
        'POST',
        `/ui${path}`,
        { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', origin, ...headers },
        new URLSearchParams(fields).toString(),
      );
    },
  };
}

function keepCookie(cookies: Map<string, string>, set: string): void {
  const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/s.exec(set) ?? [];
  if (/;\s*max-age=0/i.test(attributes)) cookies.delete(name);
  else cookies.set(name, value);
}
