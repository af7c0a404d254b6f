// Webhooks over HTTP: the same services as `libretto repository hook`.

import type { z } from 'zod';
import { describeHook } from '../../hooks/describe-hook.ts';
import { sharedHook, type HookOwner } from '../../hooks/hook-record.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import type { HookAddress } from '../../hooks/inbox.ts';
import { replayDelivery } from '../../hooks/replay-delivery.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { JobRecord } from '../../sync/job.ts';
import { jobDocument } from '../../sync/repository-document.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import type { hookSchema, issuedHook } from '../schemas/hook.ts';
import type { jobSchema } from '../../sync/job-schema.ts';
import {
  getRegistryHook,
  getRepositoryHook,
  issueRegistryHook,
  issueRepositoryHook,
  removeRegistryHook,
  removeRepositoryHook,
  replayRegistryDelivery,
  replayRepositoryDelivery,
} from './hook-operations.ts';
import type { RepositoryServices } from '../../sync/operations.ts';

export interface HookServices extends RepositoryServices {
  readonly hooksOf: (actor: Actor) => Hooks;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  /** the address of the registry for its clients; undefined: it is unknown */
  readonly publicUrl?: string | undefined;
}

/** The owner of a hook is at the same time its address, for the two kinds that people make. */
type ManagedHook = HookOwner & HookAddress;

export function registerHooks(api: Api, services: HookServices): void {
  registerOfRepositories(api, services);
  registerOfRegistry(api, services);
}

function registerOfRepositories(api: Api, services: HookServices): void {
  const placeOf = async (context: ApiContext, id: string): Promise<ManagedHook> => {
    const record = await services.repositoriesOf(actor(context)).get(id);
    return { of: 'repository', id: record.id };
  };
  api.openapi(getRepositoryHook, async (context) =>
    context.json(await show(services, context, await placeOf(context, context.req.valid('param').id)), 200),
  );
  api.openapi(issueRepositoryHook, async (context) => {
    const place = await placeOf(context, context.req.valid('param').id);
    return context.json(await issue(services, context, place, context.req.valid('json')), 201);
  });
  api.openapi(removeRepositoryHook, async (context) => {
    const place = await placeOf(context, context.req.valid('param').id);
    await services.hooksOf(actor(context)).remove(place);
    return context.json(await show(services, context, place), 200);
  });
  api.openapi(replayRepositoryDelivery, async (context) => {
    const { id, delivery } = context.req.valid('param');
    const place = await placeOf(context, id);
    return context.json({ data: showJobs(await replayDelivery(services, place, delivery, actor(context))) }, 200);
  });
}

function registerOfRegistry(api: Api, services: HookServices): void {
  const place = sharedHook;
  api.openapi(getRegistryHook, async (context) => context.json(await show(services, context, place), 200));
  api.openapi(issueRegistryHook, async (context) =>
    context.json(await issue(services, context, place, context.req.valid('json')), 201),
  );
  api.openapi(removeRegistryHook, async (context) => {
    await services.hooksOf(actor(context)).remove(place);
    return context.json(await show(services, context, place), 200);
  });
  api.openapi(replayRegistryDelivery, async (context) => {
    const { delivery } = context.req.valid('param');
    return context.json({ data: showJobs(await replayDelivery(services, place, delivery, actor(context))) }, 200);
  });
}

/** The casts only drop `readonly` from the lists. */
async function show(
  services: HookServices,
  context: ApiContext,
  place: ManagedHook,
): Promise<z.infer<typeof hookSchema>> {
  const record = await services.hooksOf(actor(context)).find(place);
  const hook = await describeHook(services, place, record, context.env.exchange.nowMs);
  const url = services.publicUrl === undefined ? null : `${services.publicUrl.replace(/\/$/, '')}${hook.path}`;
  return { url, ...hook } as unknown as z.infer<typeof hookSchema>;
}

async function issue(
  services: HookServices,
  context: ApiContext,
  place: ManagedHook,
  body: { readonly drop_old?: boolean } | undefined,
): Promise<z.infer<typeof issuedHook>> {
  const { secret } = await services.hooksOf(actor(context)).issue(place, { dropOld: body?.drop_old === true });
  return { ...(await show(services, context, place)), secret: secret.reveal() };
}

function showJobs(jobs: readonly JobRecord[]): z.infer<typeof jobSchema>[] {
  return jobs.map((job) => jobDocument(job) as unknown as z.infer<typeof jobSchema>);
}
