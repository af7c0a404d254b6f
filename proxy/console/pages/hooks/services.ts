// What the pages about webhooks need, and the two kinds of webhooks that they show: of one repository, and of all.

import { actorOf } from '../../../auth/caller.ts';
import { describeHook, type HookDocument } from '../../../hooks/describe-hook.ts';
import { sharedHook } from '../../../hooks/hook-record.ts';
import type { Hooks } from '../../../hooks/hooks.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { RepositoryId } from '../../../sync/repository.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { repositoriesFor, repositoryPath, type RepositoryPageServices } from '../repositories/services.ts';

export interface HookPageServices extends RepositoryPageServices {
  readonly hooksOf: (actor: Actor) => Hooks;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

/** A webhook as a page names it. */
export interface HookPlace {
  /** whose secrets, and which address */
  readonly owner: typeof sharedHook | { readonly of: 'repository'; readonly id: RepositoryId };
  /** `the address of a repository`, `all repositories` */
  readonly name: string;
  /** the page of the webhook */
  readonly path: string;
  /** the pages above it */
  readonly trail: readonly { readonly label: string; readonly to: string }[];
}

const repositories = { label: 'Repositories', to: '/repositories' };

export type FindPlace = (services: HookPageServices, request: SignedInRequest) => Promise<HookPlace>;

/** The repository that the path names. Throws NOT_FOUND. */
export const placeOfRepository: FindPlace = async (services, request) => {
  const record = await repositoriesFor(services, request).get(request.param('id'));
  return {
    owner: { of: 'repository', id: record.id },
    name: record.url,
    path: `${repositoryPath(record)}/hook`,
    trail: [repositories, { label: record.url, to: repositoryPath(record) }],
  };
};

export const placeOfRegistry: FindPlace = async () => ({
  owner: sharedHook,
  name: 'all repositories',
  path: '/repositories/hook',
  trail: [repositories],
});

export function hooksFor({ hooksOf }: HookPageServices, { caller }: SignedInRequest): Hooks {
  return hooksOf(actorOf(caller));
}

export async function readHook(
  services: HookPageServices,
  request: SignedInRequest,
  { owner }: HookPlace,
): Promise<HookDocument> {
  return describeHook(services, owner, await hooksFor(services, request).find(owner), request.nowMs);
}
