// What the pages about webhooks need, and the two kinds of webhooks that they show: of one repository, and of all.

import type { HookServices } from '../../../hooks/operations.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { repositoryName } from '../source-names.ts';
import { repositoriesFor, repositoryPath, type RepositoryPageServices } from '../repositories/services.ts';

export type HookPageServices = HookServices & RepositoryPageServices;

/** A webhook as a page names it. */
export interface HookPlace {
  /** of the repository; empty for the webhook of all */
  readonly id: string;
  /** `nordlicht/ui`, `all repositories` */
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
    id: record.id,
    name: repositoryName(record),
    path: `${repositoryPath(record)}/hook`,
    trail: [repositories, { label: repositoryName(record), to: repositoryPath(record) }],
  };
};

export const placeOfRegistry: FindPlace = async () => ({
  id: '',
  name: 'all repositories',
  path: '/repositories/hook',
  trail: [repositories],
});
