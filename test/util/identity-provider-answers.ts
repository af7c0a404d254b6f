// Changes the answers of the identity provider of tests on their way out: the claims of ID tokens, and the issuer in
// the address that it sends browsers to.

import type { ServerResponse } from 'node:http';
import { decodeJwt } from 'jose';
import { signWith, type ProviderPerson, type SigningKey } from './identity-provider-keys.ts';

export interface AnswerChanges {
  /** seconds that the provider's clock is ahead of the right time; negative: behind */
  readonly clockAhead?: number;
  /** the claims of the ID token instead of these; undefined removes a claim */
  readonly idToken?: (claims: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** signs ID tokens with this key instead of its own */
  readonly key?: SigningKey;
  /** the parameter `iss` of RFC 9207: left out, or this text */
  readonly issParameter?: 'left out' | { readonly text: string };
  /** over the discovery document; undefined removes a field */
  readonly discovery?: Readonly<Record<string, unknown>>;
  /** true: the claims about the person are only in the answer of the userinfo endpoint */
  readonly onlyUserinfo?: boolean;
}

interface Place {
  readonly changes: AnswerChanges | undefined;
  readonly people: ReadonlyMap<string, ProviderPerson>;
  readonly key: SigningKey;
}

type Json = Record<string, unknown>;

/** Replaces the methods of `response` that send its answer to the request of `path`. */
export function changeAnswer(response: ServerResponse, path: string, place: Place): void {
  const { changes = {} } = place;
  if (path.startsWith('/.well-known/openid-configuration'))
    return changeBody(response, (body) => Promise.resolve({ ...body, ...changes.discovery }));
  if (path.startsWith('/token')) return changeBody(response, (body) => changeTokens(body, place));
  if (path.startsWith('/me')) return changeBody(response, (body) => Promise.resolve(withPerson(body, place.people)));
  if (path.startsWith('/auth') && changes.issParameter !== undefined) changeRedirect(response, changes.issParameter);
}

function changeBody(response: ServerResponse, change: (body: Json) => Promise<Json>): void {
  const end = response.end.bind(response);
  response.end = ((body?: Buffer | string) => {
    if (response.statusCode !== 200 || body === undefined) return end(body);
    const send = async (): Promise<void> => {
      const changed = JSON.stringify(await change(JSON.parse(String(body)) as Json));
      response.setHeader('content-length', Buffer.byteLength(changed));
      end(changed);
    };
    void send().catch((error: unknown) => {
      response.removeHeader('content-length');
      response.statusCode = 500;
      end(String(error));
    });
    return response;
  }) as typeof response.end;
}

async function changeTokens(body: Json, { changes = {}, people, key }: Place): Promise<Json> {
  if (typeof body['id_token'] !== 'string') return body;
  const original = decodeJwt(body['id_token']) as Json;
  const claims = changes.onlyUserinfo === true ? original : withPerson(original, people);
  const changed = { ...(changes.idToken?.(claims) ?? claims) };
  for (const name of ['iat', 'exp', 'auth_time'])
    if (typeof changed[name] === 'number') changed[name] += changes.clockAhead ?? 0;
  return { ...body, id_token: await signWith(changes.key ?? key, changed) };
}

/** A real provider drops claims that it does not know, such as those of Entra ID. */
function withPerson(claims: Json, people: ReadonlyMap<string, ProviderPerson>): Json {
  const person = [...people.values()].find(({ sub }) => sub === claims['sub']);
  return { ...claims, ...person?.claims };
}

function changeRedirect(response: ServerResponse, issuer: NonNullable<AnswerChanges['issParameter']>): void {
  const set = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'location') return set(name, value);
    const url = URL.canParse(String(value)) ? new URL(String(value)) : undefined;
    if (url === undefined || !url.searchParams.has('iss')) return set(name, value);
    if (issuer === 'left out') url.searchParams.delete('iss');
    else url.searchParams.set('iss', issuer.text);
    return set(name, url.href);
  };
}
