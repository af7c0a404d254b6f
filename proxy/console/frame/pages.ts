// The table of the console's pages, and the way of a request through it: find the page, check the policy, take the
// post, show the result.

import { isGone } from '../../core/http/http-request.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import { decideFor, roleRefusal, teamsRefusal } from '../../auth/caller.ts';
import { decidePermission, hasCondition, type Permission } from '../../auth/permissions.ts';
import {
  asksPassword,
  type FormPage,
  type Page,
  type PageRequest,
  type SignedInRequest,
  type Upload,
} from './definitions.ts';
import { readCookie } from '../request/session-cookie.ts';
import type { Visit } from '../request/visit.ts';

type Entry =
  | { readonly kind: 'page'; readonly definition: Page }
  | { readonly kind: 'form'; readonly definition: FormPage }
  | { readonly kind: 'upload'; readonly definition: Upload };

/** An entry that fits a path, with the parameters in it. */
export type PageMatch = Entry & { readonly params: Readonly<Record<string, string>> };

interface ListedPage {
  readonly path: string;
  readonly operation: Permission;
  readonly posts: boolean;
  /** true: its post needs the password again after five minutes */
  readonly asksPassword: boolean;
}

export class Pages {
  readonly #entries: (Entry & { readonly pattern: RegExp })[] = [];

  /** Adds a page that only people who are signed in see. */
  page(definition: Page): void {
    this.#add({ kind: 'page', definition });
  }

  form(definition: FormPage): void {
    this.#add({ kind: 'form', definition });
  }

  upload(definition: Upload): void {
    this.#add({ kind: 'upload', definition });
  }

  /** Adds a page of an open operation, which nobody needs to sign in for. */
  openPage(definition: Page<PageRequest>): void {
    assertOpen(definition.operation);
    this.#add({ kind: 'page', definition });
  }

  openForm(definition: FormPage<PageRequest>): void {
    assertOpen(definition.operation);
    this.#add({ kind: 'form', definition });
  }

  /** `path`: raw, below /ui. Literal parts win over parameters, because they are added first. */
  find(path: string): PageMatch | undefined {
    for (const entry of this.#entries) {
      const found = entry.pattern.exec(path);
      const params = found === null ? undefined : decoded(found.groups ?? {});
      if (params !== undefined) return { ...entry, params };
    }
    return undefined;
  }

  /** Every page, for the table of permissions. */
  get definitions(): readonly ListedPage[] {
    return this.#entries.map(({ kind, definition }) => ({
      path: definition.path,
      operation: definition.operation,
      posts: kind !== 'page',
      asksPassword: kind === 'form' && asksPassword(definition),
    }));
  }

  #add(entry: Entry): void {
    const source = entry.definition.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]{1,400})');
    this.#entries.push({ ...entry, pattern: new RegExp(`^${source}$`) });
  }
}

/** The request as a page receives it. Throws RegistryError where the policy refuses the visitor. */
export function pageRequest(
  visit: Visit,
  { definition: { operation }, params }: PageMatch,
  server: Pick<PageRequest, 'origin' | 'consoleOrigin' | 'hasBuilder'>,
): SignedInRequest | PageRequest {
  const { request, caller, target, isConfirmed } = visit;
  const visitor = caller ?? ({ kind: 'nobody' } as const);
  const decision = decideFor(operation, visitor);
  if (decision === 'authenticate') throw new RegistryError('AUTHENTICATION_REQUIRED');
  if (decision === 'refused')
    throw new RegistryError('INSUFFICIENT_SCOPE', {
      message: (caller && roleRefusal(operation, caller)) ?? teamsRefusal,
    });
  return {
    caller,
    param: (name) => {
      const value = params[name];
      if (value === undefined) throw new Error(`the path has no parameter ${name}`);
      return value;
    },
    query: new URL(target, 'http://localhost').searchParams,
    may: (wanted) =>
      decideFor(wanted, visitor) === 'allowed' && (server.hasBuilder || !hasCondition(wanted, 'builder')),
    asksPassword: !isConfirmed,
    waitingSignIn: readCookie(request.incoming.headers.cookie, 'sso', visit),
    isGone: () => isGone(request.incoming),
    clientAddress: request.clientAddress,
    ...server,
    filledBy: undefined,
    nowMs: request.nowMs,
  };
}

function assertOpen(operation: Permission): void {
  if (decidePermission(operation, 'nobody') !== 'allowed') throw new Error(`the operation ${operation} is not open`);
}

/** undefined: the text of a parameter cannot be decoded. */
function decoded(groups: Readonly<Record<string, string>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}
