// The definition of a page of the console. A page names its path, the operation of the policy that its visitor must be
// allowed, and a function that shows it. A form is a page that also takes posts. The frame does all the rest: sessions,
// policy, the origin of posts, the password that dangerous posts ask for again, refusals and headers.

import type { Child } from 'hono/jsx';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import type { SessionCaller } from '../../auth/caller.ts';
import { hasCondition, type Permission } from '../../auth/permissions.ts';
import type { HttpRequest } from '../../core/http/http-request.ts';
import type { DownloadedFile } from '../request/html-answer.ts';
import type { FormFields, FormState } from '../request/form-fields.ts';
import type { Section } from './sections.ts';

/** A request for a page, admitted: its visitor may use the page's operation. */
export interface PageRequest {
  /** undefined: nobody is signed in, which only open operations allow */
  readonly caller: SessionCaller | undefined;
  /** a parameter of the path, decoded; throws for a name that the path does not have */
  readonly param: (name: string) => string;
  readonly query: URLSearchParams;
  /** what the visitor calls the token whose holder filled in this form by a link; undefined: nobody did */
  readonly filledBy: string | undefined;
  /** True if the visitor may use this operation on this server: pages show a button only then. */
  readonly may: (operation: Permission) => boolean;
  /** false: another host builds, so this server changes no published versions */
  readonly hasBuilder: boolean;
  /** true: the next dangerous form asks for the password again */
  readonly asksPassword: boolean;
  /** the sign-in of this browser that waits at an identity provider; undefined: none */
  readonly waitingSignIn: string | undefined;
  /** True once the browser no longer waits for the page. */
  readonly isGone: () => boolean;
  /** as far as it can be trusted */
  readonly clientAddress: string;
  /** the address of the registry for its clients, without a slash at its end */
  readonly origin: string;
  /** the address at which this browser reached the console, without `/ui` and without a slash at its end */
  readonly consoleOrigin: string;
  readonly nowMs: number;
}

/** A request of a person who is signed in. */
export interface SignedInRequest extends PageRequest {
  readonly caller: SessionCaller;
}

/** The effect of an outcome on the session of the browser. */
interface SessionChange {
  /** begins this session in the browser */
  readonly session?: BrowserSession;
  /** ends the session of the browser */
  readonly endsSession?: boolean;
  /** a proof that the person of this session has just signed in again */
  readonly confirmed?: Secret;
  /** keeps a sign-in that waits at an identity provider in the browser; null: it waits no more */
  readonly waitingSignIn?: Secret | null;
}

export interface BrowserSession {
  readonly token: Secret;
  /** a proof that its person has just entered the password */
  readonly confirmed?: Secret;
}

export interface PageView extends SessionChange {
  /** for the title of the window and the page's heading */
  readonly title: string;
  readonly content: Child;
  /** default: 200 */
  readonly status?: number;
  /** for `Retry-After`, where a later try may succeed */
  readonly retryAfterSeconds?: number | undefined;
  /** for `Allow`, where the method is not allowed */
  readonly allow?: string | undefined;
  /** the entry of the navigation that is marked; undefined: none */
  readonly section?: Section;
  /** true: without navigation, in a narrow column, as the sign-in page */
  readonly bare?: boolean;
  /**
   * The page shows work that goes on: a browser without JavaScript loads it again after so many seconds. One with
   * JavaScript fetches the parts marked `data-refresh` instead.
   */
  readonly refreshSeconds?: number;
  /** the address of another server to which the browser goes on at once */
  readonly continuesAt?: string;
}

/** Sends the browser to another page of the console, after a post. */
export interface Redirect extends SessionChange {
  /** a path below /ui, such as `/tokens/tok_1`; may have a query */
  readonly to: string;
  /** a key of `notices` of the page there: it shows that sentence once */
  readonly notice?: string;
}

/** A file to download, such as a CSV. */
export interface FileDownload {
  readonly file: DownloadedFile;
}

export type PageOutcome = PageView | Redirect | FileDownload;

interface Definition {
  /** below /ui: `/packages/:vendor/:package` */
  readonly path: string;
  readonly operation: Permission;
  /** key → sentence, for redirects to this page */
  readonly notices?: Readonly<Record<string, string>>;
}

/** Throws RegistryError, which becomes a page with its message. */
export interface Page<Request extends PageRequest = SignedInRequest> extends Definition {
  readonly show: (request: Request) => MaybeAsync<PageOutcome>;
}

/**
 * A page whose form posts to its own path. A RegistryError of `submit` shows the form again, with what was typed and
 * with the faults beside their fields.
 */
export interface FormPage<Request extends PageRequest = SignedInRequest> extends Definition {
  readonly show: (request: Request, form: FormState) => MaybeAsync<PageOutcome>;
  readonly submit: (request: Request, fields: FormFields) => MaybeAsync<PageOutcome>;
  /** true: the post does not need the password that its operation asks for again, because it does less */
  readonly asksNothing?: boolean;
  /** True for a post that only shows what the form would do: it needs no password. */
  readonly previews?: (fields: FormFields) => boolean;
  /** true: the form or its post waits for the builder, longer than a silent connection may last */
  readonly awaitsBuilder?: boolean;
  /** paths of a RegistryError's issues → names of fields, where they differ */
  readonly fieldOf?: Readonly<Record<string, string>>;
}

/** A post whose body the page reads itself, such as an upload. */
export interface Upload extends Definition {
  /** the page with the form for it, below /ui: a browser that opens the upload's address is sent there */
  readonly formPath: string;
  readonly receive: (request: SignedInRequest, incoming: HttpRequest, sendContinue: () => void) => Promise<PageOutcome>;
}

/** Whether its post needs the person's password, unless it was entered in the last five minutes. */
export function asksPassword({ operation, asksNothing = false }: Pick<FormPage, 'operation' | 'asksNothing'>): boolean {
  return hasCondition(operation, 'password') && !asksNothing;
}

export function isRedirect(outcome: PageOutcome): outcome is Redirect {
  return 'to' in outcome;
}

export function isDownload(outcome: PageOutcome): outcome is FileDownload {
  return 'file' in outcome;
}
