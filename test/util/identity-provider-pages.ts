// The pages of the identity provider of tests: one asks for the login name, one for consent.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';
import type { ProviderPerson } from './identity-provider-keys.ts';

export async function answerInteraction(
  provider: Provider,
  people: ReadonlyMap<string, ProviderPerson>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(formOf(prompt.name));
  const form = new URLSearchParams(await text(request));
  if (form.has('refuse'))
    return provider.interactionFinished(request, response, {
      error: 'access_denied',
      error_description: 'The person refused.',
    });
  if (prompt.name === 'login') {
    const person = people.get(form.get('login') ?? '');
    if (person === undefined)
      return void response.setHeader('content-type', 'text/html').end(`${formOf('login')}<p>Unknown person.</p>`);
    return provider.interactionFinished(request, response, { login: { accountId: person.sub } });
  }
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

function formOf(prompt: string): string {
  const field = prompt === 'login' ? '<label>Login <input name="login" autofocus></label>' : '';
  const button = prompt === 'login' ? 'Sign in' : 'Allow';
  return `<!doctype html><html lang="en"><head><title>Provider</title><link rel="icon" href="data:,"></head><body>
<form method="post">${field}<button id="${prompt}">${button}</button>
<button name="refuse" value="1">Refuse</button></form></body></html>`;
}
