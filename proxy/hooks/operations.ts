// What can be done with webhooks of forges: the operations that API, commands and console call. A repository has a
// webhook of its own; another one is for all repositories.

import { z } from 'zod';
import type { StateStore } from '../core/state/state-store.ts';
import { idSchema } from '../registry/fields.ts';
import { operation, type Call } from '../registry/operation.ts';
import type { Actor } from '../state/audit.ts';
import type { Jobs } from '../sync/jobs.ts';
import type { Repositories } from '../sync/repositories.ts';
import { jobDocument } from '../sync/describe-repositories.ts';
import type { Syncer } from '../sync/syncer.ts';
import { describeHook } from './describe-hook.ts';
import { sharedHook, type HookOwner } from './hook-record.ts';
import {
  hookIssue,
  hookSchema,
  issuedHook,
  replayedJobs,
  type HookDocument,
  type ReplayedDocument,
} from './hook-schema.ts';
import type { Hooks } from './hooks.ts';
import type { HookAddress } from './inbox.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JobRecord } from '../sync/job.ts';
import { listDeliveries } from './delivery.ts';

interface ReplayParts {
  readonly state: Pick<StateStore, 'range'>;
  readonly syncer: Pick<Syncer, 'sync'>;
}

/**
 * Gives the job of each repository; one that is active already is joined. Throws NOT_FOUND for a delivery that is not
 * kept, CONFLICT for one that asked for no sync, and OVERLOADED.
 */
async function replayDelivery(
  { state, syncer }: ReplayParts,
  address: HookAddress,
  delivery: string,
  actor: Actor,
): Promise<readonly JobRecord[]> {
  const list = await listDeliveries(state, address.of === 'repository' ? address.id : 'registry');
  const found = list.find(({ id }) => id === delivery);
  if (found === undefined)
    throw new RegistryError('NOT_FOUND', { message: 'Delivery not found. Only the last deliveries are kept.' });
  if (found.repositories.length === 0)
    throw new RegistryError('CONFLICT', {
      message: `This delivery asked for no sync (${found.outcome}), so there is nothing to replay.`,
    });
  const ids = address.of === 'repository' ? [address.id] : found.repositories;
  const jobs: JobRecord[] = [];
  for (const id of ids) jobs.push(await syncer.sync(id, { trigger: 'request', actor, replays: found.id }));
  return jobs;
}

export interface HookServices {
  readonly hooksOf: (actor: Actor) => Hooks;
  readonly repositoriesOf: (actor: Actor) => Repositories;
  readonly jobs: Jobs;
  readonly syncer: Pick<Syncer, 'sync' | 'removed'>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  /** the address of the registry for its clients; undefined: it is unknown */
  readonly publicUrl?: string | undefined;
}

/** The owner of a hook is at the same time its address, for the two kinds that people make. */
type ManagedHook = HookOwner & HookAddress;

const deliveryParam = { delivery: idSchema('dlv', 'the delivery') };
const ofRegistry = { tag: 'Webhooks', path: '/api/hook' };
const ofRepository = {
  tag: 'Webhooks',
  path: '/api/repositories/{id}/hook',
  params: z.strictObject({ id: idSchema('repo', 'the repository') }),
  errors: ['NOT_FOUND'],
} as const;
const showing = { method: 'get', answer: hookSchema, answers: 'the webhook' } as const;
const issuing = {
  method: 'post',
  description:
    'The secret appears only in this answer. A webhook that exists gets a second secret, so that the provider can ' +
    'change to it.',
  body: hookIssue,
  isBodyOptional: true,
  status: 201,
  answer: issuedHook,
  answers: 'the webhook with its new secret',
} as const;
const replaying = {
  method: 'post',
  description:
    'Starts the syncs that the delivery asked for, or returns the jobs in progress. It is recorded in the audit log.',
  answer: replayedJobs,
  errors: ['NOT_FOUND', 'CONFLICT', 'OVERLOADED'],
} as const;

export const getRepositoryHook = operation({
  ...ofRepository,
  ...showing,
  id: 'getRepositoryHook',
  summary: 'Get the webhook of a repository',
  description: 'With its last deliveries. Without a webhook, `secrets` is empty.',
  run: async (services: HookServices, { id }, call) => show(services, await hookOf(services, id, call), call),
});

export const issueRepositoryHook = operation({
  ...ofRepository,
  ...issuing,
  id: 'issueRepositoryHook',
  form: '/repositories/:id/hook/secret',
  summary: 'Make the webhook of a repository, or give it a new secret',
  run: async (services: HookServices, { id, drop_old: dropOld }, call) =>
    issue(services, await hookOf(services, id, call), dropOld, call),
});

export const removeRepositoryHook = operation({
  ...ofRepository,
  id: 'removeRepositoryHook',
  form: '/repositories/:id/hook/remove',
  method: 'delete',
  summary: 'Remove the webhook of a repository',
  description: 'Its secrets end at once, and its deliveries are deleted. A repeated request changes nothing.',
  answer: hookSchema,
  answers: 'the repository without a webhook',
  run: async (services: HookServices, { id }, call) => remove(services, await hookOf(services, id, call), call),
});

export const replayRepositoryDelivery = operation({
  ...ofRepository,
  ...replaying,
  id: 'replayRepositoryDelivery',
  form: '/repositories/:id/hook/:delivery/replay',
  path: '/api/repositories/{id}/hook/deliveries/{delivery}/replay',
  params: ofRepository.params.extend(deliveryParam),
  summary: 'Replay a delivery for a repository',
  answers: 'the sync',
  run: async (services: HookServices, { id, delivery }, call) =>
    replay(services, await hookOf(services, id, call), delivery, call),
});

export const getRegistryHook = operation({
  ...ofRegistry,
  ...showing,
  id: 'getRegistryHook',
  summary: 'Get the webhook for all repositories',
  description: 'For webhooks of organisations and of whole servers. With its last deliveries.',
  run: (services: HookServices, _input, call) => show(services, sharedHook, call),
});

export const issueRegistryHook = operation({
  ...ofRegistry,
  ...issuing,
  id: 'issueRegistryHook',
  form: '/repositories/hook/secret',
  summary: 'Make the webhook for all repositories, or give it a new secret',
  run: (services: HookServices, { drop_old: dropOld }, call) => issue(services, sharedHook, dropOld, call),
});

export const removeRegistryHook = operation({
  ...ofRegistry,
  id: 'removeRegistryHook',
  form: '/repositories/hook/remove',
  method: 'delete',
  summary: 'Remove the webhook for all repositories',
  description: 'Its secrets end at once. Connections to forges keep their own. A repeated request changes nothing.',
  answer: hookSchema,
  answers: 'the registry without this webhook',
  run: (services: HookServices, _input, call) => remove(services, sharedHook, call),
});

export const replayRegistryDelivery = operation({
  ...ofRegistry,
  ...replaying,
  id: 'replayRegistryDelivery',
  form: '/repositories/hook/:delivery/replay',
  path: '/api/hook/deliveries/{delivery}/replay',
  params: z.strictObject(deliveryParam),
  summary: 'Replay a delivery for all its repositories',
  answers: 'the syncs',
  run: (services: HookServices, { delivery }, call) => replay(services, sharedHook, delivery, call),
});

export const repositoryHook = {
  get: getRepositoryHook,
  issue: issueRepositoryHook,
  remove: removeRepositoryHook,
  replay: replayRepositoryDelivery,
};
export const registryHook = {
  get: getRegistryHook,
  issue: issueRegistryHook,
  remove: removeRegistryHook,
  replay: replayRegistryDelivery,
};

export const hookOperations = [...Object.values(repositoryHook), ...Object.values(registryHook)];

/** Throws NOT_FOUND. */
async function hookOf({ repositoriesOf }: HookServices, id: string, { actor }: Call): Promise<ManagedHook> {
  return { of: 'repository', id: (await repositoriesOf(actor).get(id)).id };
}

async function show(services: HookServices, hook: ManagedHook, { actor, nowMs }: Call): Promise<HookDocument> {
  return describeHook(services, hook, await services.hooksOf(actor).find(hook), nowMs);
}

async function issue(services: HookServices, hook: ManagedHook, dropOld: boolean | undefined, call: Call) {
  const { secret } = await services.hooksOf(call.actor).issue(hook, { dropOld: dropOld === true });
  return { ...(await show(services, hook, call)), secret: secret.reveal() };
}

async function remove(services: HookServices, hook: ManagedHook, call: Call): Promise<HookDocument> {
  await services.hooksOf(call.actor).remove(hook);
  return show(services, hook, call);
}

/** The cast: a record has the report as JSON. */
async function replay(
  services: HookServices,
  hook: ManagedHook,
  delivery: string,
  { actor }: Call,
): Promise<ReplayedDocument> {
  const jobs = await replayDelivery(services, hook, delivery, actor);
  return { data: jobs.map(jobDocument) } as unknown as ReplayedDocument;
}
