// The console: answers every request below /ui. A request passes in this order: known host, call of a provider, origin
// of a post, page, policy, safe transport, form, page. Whatever is refused becomes a page that says why and what to do.

import { RegistryError } from '../../build/contract/errors.ts';
import { assertWithoutBuilder } from '../auth/permissions.ts';
import type { Answer } from '../core/http/answer.ts';
import { internalFault } from '../core/http/internal-fault.ts';
import { awaitBuilder, type FeatureRequest } from '../core/protocol/feature.ts';
import type { PageRequest, SignedInRequest } from './frame/definitions.ts';
import type { Assets } from './assets/assets.ts';
import type { ProviderCalls } from './provider-calls.ts';
import { emptyForm } from './request/form-fields.ts';
import { createAllowedHosts } from './request/allowed-hosts.ts';
import { pageRequest, type PageMatch, type Pages } from './frame/pages.ts';
import { readPostedForm } from './request/read-form.ts';
import { respond } from './frame/respond.tsx';
import { submitForm, type PersonCheck, type Submitted } from './frame/submit-form.ts';
import { createVisit, originsOf, authenticateVisit, type Visit, type VisitParts } from './request/visit.ts';
import {
  endedSessionView,
  failureView,
  foreignPostView,
  refusalView,
  unknownHostView,
  unsafeTransportView,
} from './pages/refusals.tsx';
import { parseUrl } from '../../build/contract/parse-url.ts';
import type { Transport } from './request/transport.ts';

// Whether a post comes from a page of the console itself. A browser says so in Sec-Fetch-Site, and an older one in
// Origin. A post without both is refused: no browser that the console supports sends one. Pure.

interface PostHeaders {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** `plain`: perhaps https up to a reverse proxy that does not say so */
  readonly transport: Transport;
}

export function isSameOrigin({ fetchSite, origin, host, transport }: PostHeaders): boolean {
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  if (origin === undefined || host === undefined) return false;
  const { host: named, protocol } = parseUrl(origin) ?? {};
  if (transport !== 'plain' && protocol !== schemes[transport]) return false;
  return named !== undefined && named === withoutStandardPort(host, origin);
}

const schemes = { https: 'https:', loopback: 'http:' } as const;

/** URL leaves out the standard port, and a Host header may have it. */
function withoutStandardPort(host: string, origin: string): string {
  return host.toLowerCase().replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '');
}

export interface ConsoleParts extends VisitParts {
  readonly pages: Pages;
  readonly providerCalls: ProviderCalls;
  /** host names without a port that the console answers now, in addition to addresses and localhost */
  readonly hosts: () => readonly string[];
  /** true: people may sign in over plain HTTP from other machines, for a trial in one's own network */
  readonly allowsPlainHttp: boolean;
  readonly check: PersonCheck;
  /** The name of the visitor's terminal that signed the link to a form; undefined: none did. */
  readonly terminalOf: (visit: Visit) => Promise<string | undefined>;
  readonly assets: Assets;
  /** false: builds run on another host, so this server changes no published versions */
  readonly hasBuilder: boolean;
}

export interface Console {
  /** Rejects only for internal errors. `request`: its path is /ui, or begins with /ui/. */
  readonly answer: (request: FeatureRequest) => Promise<Answer>;
}

export function createConsole(parts: ConsoleParts): Console {
  const isAllowed = createAllowedHosts(parts.hosts);
  return {
    answer: async (request) => {
      let visit = createVisit(parts, request);
      if (!isAllowed(visit.host))
        return respond(visit, unknownHostView(visit.host, isUnsafe(parts, visit)), parts.assets);
      try {
        const call = parts.providerCalls(pathOf(visit));
        if (call !== undefined) return await call(request);
        visit = await authenticateVisit(parts, visit);
        return await answerVisit(parts, visit);
      } catch (error) {
        return error instanceof RegistryError ? refuse(parts, visit, error) : fail(parts, visit, error);
      }
    },
  };
}

async function answerVisit(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const posts = visit.request.incoming.method === 'POST';
  if (posts && !isOwnPost(visit)) return respond(visit, foreignPostView(foundPath(parts, visit)), parts.assets);
  const home = visit.caller?.view === undefined ? '/overview' : '/packages';
  if (visit.target === '/' || (pathOf(visit) === '/overview' && home !== '/overview'))
    return respond(visit, { to: home }, parts.assets);
  const asset = await parts.assets.answer(pathOf(visit), visit.request.incoming);
  if (asset !== undefined) return asset;
  const found = parts.pages.find(pathOf(visit));
  if (found === undefined)
    throw new RegistryError('NOT_FOUND', { message: 'The console has no page with this address.' });
  const { hasBuilder, publicUrl } = parts;
  const request = pageRequest(visit, found, { ...originsOf(visit, publicUrl), hasBuilder });
  if (isUnsafe(parts, visit)) return respond(visit, unsafeTransportView(visit.host), parts.assets);
  if (!hasBuilder) assertWithoutBuilder(found.definition.operation);
  const filledBy = found.kind === 'form' && !posts ? await parts.terminalOf(visit) : undefined;
  if (found.kind === 'form' && found.definition.awaitsBuilder === true) awaitBuilder(visit.request);
  const { outcome, cookies } = posts
    ? await post(parts, visit, found, request)
    : await show(found, { ...request, filledBy });
  const { notices } = found.definition;
  return respond(visit, outcome, { folder: parts.assets.folder, notices, cookies, filledBy });
}

/** The policy lets nobody without a session to the pages of people, so that their request has a caller. */
async function show(found: PageMatch, request: PageRequest): Promise<Submitted> {
  const visitor = request as SignedInRequest;
  if (found.kind === 'page') return { outcome: await found.definition.show(visitor), cookies: [] };
  if (found.kind === 'form') return { outcome: await found.definition.show(visitor, emptyForm), cookies: [] };
  return { outcome: { to: found.definition.formPath }, cookies: [] };
}

async function post(parts: ConsoleParts, visit: Visit, found: PageMatch, request: PageRequest): Promise<Submitted> {
  const { incoming, sendContinue } = visit.request;
  const visitor = request as SignedInRequest;
  if (found.kind === 'upload')
    return { outcome: await found.definition.receive(visitor, incoming, sendContinue), cookies: [] };
  if (found.kind === 'page')
    throw new RegistryError('METHOD_NOT_ALLOWED', {
      message: 'This page takes no form.',
      details: { allow: 'GET, HEAD' },
    });
  return submitForm(parts.check, visit, found.definition, visitor, await readPostedForm(incoming, sendContinue));
}

/** Nobody is sent to sign in, and back to the page afterwards. A form is kept: its page says how to send it again. */
function refuse({ assets }: ConsoleParts, visit: Visit, error: RegistryError): Promise<Answer> {
  if (error.code === 'AUTHENTICATION_REQUIRED')
    return visit.request.incoming.method === 'POST'
      ? respond(visit, endedSessionView(visit.target, isUpload(visit)), assets)
      : respond(visit, { to: `/sign-in?next=${encodeURIComponent(visit.target)}` }, assets);
  return respond(visit, refusalView(error), assets);
}

/** The log has the cause under the id of the request, which the page shows. */
async function fail({ assets }: ConsoleParts, visit: Visit, cause: unknown): Promise<Answer> {
  const fault = internalFault(cause);
  const answer = await respond(visit, failureView(fault, visit.request.requestId), assets);
  return fault.isLogged ? { ...answer, cause } : answer;
}

function isUpload({ request }: Visit): boolean {
  return request.incoming.headers['content-type']?.startsWith('multipart/') === true;
}

function isOwnPost({ request: { incoming }, host, transport }: Visit): boolean {
  const { origin, 'sec-fetch-site': fetchSite } = incoming.headers;
  return isSameOrigin({ fetchSite: fetchSite?.toString(), origin, host, transport });
}

/** True over plain HTTP from another machine, where nobody may sign in. */
function isUnsafe({ allowsPlainHttp }: ConsoleParts, { transport }: Visit): boolean {
  return transport === 'plain' && !allowsPlainHttp;
}

/** undefined: the console has no such page. */
function foundPath({ pages }: ConsoleParts, visit: Visit): string | undefined {
  return pages.find(pathOf(visit)) === undefined ? undefined : pathOf(visit);
}

function pathOf({ target }: Visit): string {
  return target.split('?', 1)[0] ?? '/';
}
