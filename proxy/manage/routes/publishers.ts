// Trusted publishers and the exchange of ID tokens over HTTP: the same services as `libretto publisher`.

import type { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { Issuer } from '../../publishers/model/issuer.ts';
import type { PublisherRecord } from '../../publishers/model/publisher.ts';
import { orderOf } from '../../publishers/records/list-publishers.ts';
import { publisherDocument } from '../../publishers/records/publisher-document.ts';
import type { Publishers } from '../../publishers/records/publishers.ts';
import type { IdTokenExplanation } from '../../publishers/tokens/explain-id-token.ts';
import { explanationDocument } from '../../publishers/tokens/explanation-document.ts';
import type { OidcTokens } from '../../publishers/tokens/oidc-tokens.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { paginate } from '../frame/page.ts';
import type { idTokenExplanation, publisherSchema } from '../schemas/publisher.ts';
import {
  createPublisher,
  deletePublisher,
  endOidcToken,
  exchangeIdToken,
  explainIdToken,
  getOidcAudience,
  getPublisher,
  listPublishers,
  updatePublisher,
} from './publisher-operations.ts';

export interface PublisherServices {
  readonly publishersOf: (actor: Actor) => Publishers;
  readonly issuers: readonly Issuer[];
  readonly oidc: OidcTokens;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export function registerPublishers(api: Api, services: PublisherServices): void {
  registerRecords(api, services);
  registerOidc(api, services);
}

function registerRecords(api: Api, services: PublisherServices): void {
  const publishersFor = (context: ApiContext): Publishers => services.publishersOf(actor(context));
  api.openapi(listPublishers, async (context) => {
    const { data, next_cursor } = paginate(await publishersFor(context).list(), context.req.valid('query'), orderOf);
    return context.json({ data: await Promise.all(data.map((one) => show(services, context, one))), next_cursor }, 200);
  });
  api.openapi(createPublisher, async (context) =>
    context.json(await show(services, context, await publishersFor(context).create(context.req.valid('json'))), 201),
  );
  api.openapi(explainIdToken, async (context) =>
    context.json(showExplanation(await services.oidc.explain(context.req.valid('json').token)), 200),
  );
  api.openapi(getPublisher, async (context) => {
    const record = await publishersFor(context).get(context.req.valid('param').id);
    return context.json(await show(services, context, record), 200);
  });
  api.openapi(updatePublisher, async (context) => {
    const { record } = await publishersFor(context).update(context.req.valid('param').id, context.req.valid('json'));
    return context.json(await show(services, context, record), 200);
  });
  api.openapi(deletePublisher, async (context) => {
    const { id } = await publishersFor(context).remove(context.req.valid('param').id);
    return context.json({ id }, 200);
  });
}

function registerOidc(api: Api, { oidc }: PublisherServices): void {
  api.openapi(getOidcAudience, (context) => context.json({ audience: oidc.audience() }, 200));
  api.openapi(exchangeIdToken, async (context) => {
    const { token: idToken, ...wish } = context.req.valid('json');
    const { secret, token, publisher } = await oidc.exchange(idToken, wish, context.env.exchange.clientAddress);
    const { id, kind, expires_at } = token;
    return context.json(
      { token: secret.reveal(), id, kind, expires_at: expires_at ?? '', publisher: publisher.id },
      201,
    );
  });
  api.openapi(endOidcToken, async (context) => {
    const { caller } = context.env;
    if (caller.kind !== 'token') throw new RegistryError('INVALID_TOKEN');
    await oidc.end(caller.token.id);
    return context.json({ id: caller.token.id }, 200);
  });
}

/** The cast only drops `readonly` from lists. */
async function show(
  { state, issuers }: PublisherServices,
  { env }: ApiContext,
  record: PublisherRecord,
): Promise<z.infer<typeof publisherSchema>> {
  const document = await publisherDocument(state, issuers, record, env.exchange.nowMs);
  return document as unknown as z.infer<typeof publisherSchema>;
}

/** The cast only drops `readonly` from lists. */
function showExplanation(explanation: IdTokenExplanation): z.infer<typeof idTokenExplanation> {
  return explanationDocument(explanation) as unknown as z.infer<typeof idTokenExplanation>;
}
