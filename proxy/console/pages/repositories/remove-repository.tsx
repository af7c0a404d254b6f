// The question before a repository is removed: which packages lose the versions that came from it.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import { removeRepository } from '../../../sync/remove-repository.ts';
import type { RepositoryRecord } from '../../../sync/repository.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount } from '../../components/quantity.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { repositoriesFor, repositoryPath, type RepositoryPageServices } from './services.ts';

export function registerRemovingRepositories(pages: Pages, services: RepositoryPageServices): void {
  pages.form({
    path: '/repositories/:id/remove',
    operation: 'deleteRepository',
    show: (request, state) => ask(services, request, state),
    submit: async (request) => {
      const id = request.param('id');
      const { syncer } = services;
      const parts = { repositories: repositoriesFor(services, request), syncer, actor: actorOf(request.caller) };
      const { packages } = await removeRepository(parts, id, id);
      return { to: '/repositories', notice: packages.length === 0 ? 'removed-empty' : 'removed' };
    },
  });
}

const maxNames = 40;

async function ask(services: RepositoryPageServices, request: SignedInRequest, state: FormState): Promise<PageView> {
  const repositories = repositoriesFor(services, request);
  const record = await repositories.get(request.param('id'));
  const packages = await publishedFrom(record, () => repositories.remove(record.id, undefined));
  const title = `Remove ${record.url}?`;
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence={whatHappens(record, packages.length)} />
        {packages.length === 0 ? null : (
          <ul>
            {packages.slice(0, maxNames).map((name) => (
              <li>
                <code>{name}</code>
              </li>
            ))}
            {packages.length > maxNames ? <li>{`and ${packages.length - maxNames} more`}</li> : null}
          </ul>
        )}
        <Form
          state={state}
          submit="Remove repository"
          isDanger
          cancel={repositoryPath(record)}
          asksPassword={request.asksPassword}
        />
      </>
    ),
  };
}

function whatHappens({ type }: RepositoryRecord, packages: number): string {
  if (type === 'composer')
    return 'The registry no longer asks it for packages. Its credentials and its syncs are deleted.';
  const ends = 'Its credentials and its syncs are deleted.';
  if (packages === 0) return `It withdraws nothing. ${ends}`;
  return (
    `It withdraws ${formatCount(packages, 'package')}: the registry no longer offers the versions from this repository, ` +
    `but existing lock files still install them, unless the policy blocks them. ${ends}`
  );
}

/** The service names the packages when it refuses a removal without a confirmation. */
async function publishedFrom({ id }: RepositoryRecord, refuse: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await refuse();
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'CONFIRMATION_REQUIRED') throw error;
    const { packages } = error.details;
    return Array.isArray(packages) ? packages.map(String) : [];
  }
  throw new Error(`${id} was removed without a confirmation`);
}
