// Turns what a page returned into an answer: HTML in the console's layout, a redirect, or a file.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../../core/http/answer.ts';
import { ConfirmContext, type ConfirmPlace } from '../components/confirm-at-provider.tsx';
import { FilledByContext } from '../components/notice.tsx';
import { ProofsContext } from '../components/passkey-button.tsx';
import { BrandContext, PlaceContext, rootFrom } from '../components/place.tsx';
import { NowContext } from '../components/values.tsx';
import { ConsoleLayout } from './layout.tsx';
import { isDownload, isRedirect, type PageOutcome, type PageView, type Redirect } from './definitions.ts';
import { confirmationSeconds } from './submit-form.ts';
import { downloadAnswer, htmlAnswer, redirectAnswer } from '../request/html-answer.ts';
import { clearCookie, setCookie } from '../request/session-cookie.ts';
import type { Visit } from '../request/visit.ts';

export interface ResponseOptions {
  /** the folder of the style sheet and the script below /ui */
  readonly folder: string;
  readonly notices?: Readonly<Record<string, string>> | undefined;
  /** as of a PageRequest */
  readonly filledBy?: string | undefined;
  /** values of Set-Cookie */
  readonly cookies?: readonly string[];
}

const noProofs = { password: true, passkey: false };

export async function respond(visit: Visit, outcome: PageOutcome, responding: ResponseOptions): Promise<Answer> {
  if (isDownload(outcome)) return downloadAnswer(outcome.file);
  const cookies = [...(responding.cookies ?? []), ...sessionCookies(visit, outcome)];
  if (isRedirect(outcome)) return redirect(visit, outcome, cookies);
  const path = visit.target.split('?', 1)[0] ?? '/';
  const { incoming } = visit.request;
  const html = (
    <PlaceContext.Provider value={{ root: rootFrom(path), isCatalogue: false, assets: responding.folder }}>
      <NowContext.Provider value={visit.request.nowMs}>
        <ProofsContext.Provider value={visit.caller?.provesWith ?? noProofs}>
          <ConfirmContext.Provider value={confirmPlaceOf(visit)}>
            <FilledByContext.Provider value={responding.filledBy}>
              <BrandContext.Provider value={visit.brand}>
                <ConsoleLayout view={outcome} caller={visit.caller} notice={noticeOf(visit, responding)} />
              </BrandContext.Provider>
            </FilledByContext.Provider>
          </ConfirmContext.Provider>
        </ProofsContext.Provider>
      </NowContext.Provider>
    </PlaceContext.Provider>
  );
  // Composer's requests get their turn before the page is rendered, and before it is compressed
  await nextTurn();
  const text = `<!doctype html>${await html.toString()}`;
  await nextTurn();
  return htmlAnswer(text, {
    status: outcome.status ?? 200,
    acceptEncoding: incoming.headers['accept-encoding']?.toString(),
    more: [...refusalHeaders(outcome), ...setCookies(cookies)],
  });
}

/** undefined: this person confirms with a password. */
function confirmPlaceOf({ confirmsAt, target }: Visit): ConfirmPlace | undefined {
  return confirmsAt === undefined ? undefined : { ...confirmsAt, page: target };
}

function refusalHeaders({ retryAfterSeconds: wait, allow }: PageView): string[] {
  return [
    ...(wait === undefined ? [] : ['Retry-After', String(wait)]),
    ...(allow === undefined ? [] : ['Allow', allow]),
  ];
}

function redirect(visit: Visit, { to, notice }: Redirect, cookies: readonly string[]): Answer {
  const path = visit.target.split('?', 1)[0] ?? '/';
  const join = to.includes('?') ? '&' : '?';
  const location = `${rootFrom(path)}${to.slice(1)}${notice === undefined ? '' : `${join}notice=${notice}`}`;
  return redirectAnswer(location === '' ? './' : location, setCookies(cookies));
}

/** A sign-in at an identity provider lasts no longer than its sealed text. */
const waitingSeconds = 600;

function sessionCookies(visit: Visit, outcome: PageView | Redirect): string[] {
  const { waitingSignIn: waiting } = outcome;
  if (waiting === undefined) return cookiesOfSession(visit, outcome);
  const kept = waiting === null ? clearCookie('sso', visit) : setCookie('sso', waiting, visit, waitingSeconds);
  return [kept, ...cookiesOfSession(visit, outcome)];
}

function cookiesOfSession(visit: Visit, { session, endsSession, confirmed: proof }: PageView | Redirect): string[] {
  if (endsSession === true) return [clearCookie('session', visit), clearCookie('confirmed', visit)];
  if (proof !== undefined) return [setCookie('confirmed', proof, visit, confirmationSeconds)];
  if (session === undefined) return [];
  const { token, confirmed } = session;
  return [
    setCookie('session', token, visit),
    ...(confirmed === undefined ? [] : [setCookie('confirmed', confirmed, visit, confirmationSeconds)]),
  ];
}

/** Only sentences of the page itself: a link cannot put others on it. */
function noticeOf({ target }: Visit, { notices = {} }: ResponseOptions): string | undefined {
  const key = new URL(target, 'http://localhost').searchParams.get('notice');
  return key !== null && Object.hasOwn(notices, key) ? notices[key] : undefined;
}

function setCookies(cookies: readonly string[]): string[] {
  return cookies.flatMap((cookie) => ['Set-Cookie', cookie]);
}
