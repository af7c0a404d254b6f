// The published packages that require a package: as a picture with what it requires itself, and as a list.

import type { Child } from 'hono/jsx';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LayeredPicture } from '../../components/layered-picture.tsx';
import { Pager } from '../../components/pager.tsx';
import { A, MainLink } from '../../components/place.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { maxInPicture, neighbourhoodOf, type Neighbourhood } from './neighbourhood.ts';
import { packagePath, packageView, type OpenPackage, type PackagePageServices } from './open-package.ts';
import { PackageFrame } from './package-frame.tsx';

interface DependentsProps {
  readonly opened: OpenPackage;
  /** in both directions of the picture; undefined: one, without a page for more */
  readonly steps: 1 | 2 | undefined;
  readonly neighbourhood: Neighbourhood;
  /** from 1 */
  readonly page: number;
}

export const dependentsPerPage = 50;

export function showDependents(
  _services: PackagePageServices,
  { query }: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const steps = query.get('steps') === '2' ? 2 : 1;
  const page = Math.min(1_000_000, Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1));
  const neighbourhood = neighbourhoodOf(opened, steps);
  return Promise.resolve(
    packageView(`Dependents of ${opened.name}`, <Dependents {...{ opened, steps, neighbourhood, page }} />),
  );
}

export function Dependents({ opened, steps, neighbourhood, page }: DependentsProps): Child {
  const { name, dependents, packages } = opened;
  const from = (page - 1) * dependentsPerPage;
  const rows = dependents.slice(from, from + dependentsPerPage).flatMap((one) => packages.all.get(one) ?? []);
  return (
    <PackageFrame opened={opened} tab="dependents">
      <PictureSection {...{ name, steps, neighbourhood }} />
      <section class="stack-tight">
        <h2>
          {dependents.length === 0 ? 'Dependents' : `${formatCount(dependents.length, 'package')} of this registry`}
        </h2>
        {dependents.length === 0 ? (
          <EmptyState icon="network" title="No package requires it">
            No package of this registry requires {name}. Applications that install it are not known here.
          </EmptyState>
        ) : (
          <Table caption="Dependents" columns={columns} rows={rows} />
        )}
        <Pager
          shown={rows.length}
          from={from}
          total={dependents.length}
          perPage={dependentsPerPage}
          pathOf={(one) =>
            packagePath(name, 'dependents', { ...(steps === 2 ? { steps: '2' } : {}), page: String(one) })
          }
        />
      </section>
    </PackageFrame>
  );
}

const columns: readonly Column<PackageSummary>[] = [
  {
    label: 'Package',
    cell: ({ name, description }) => (
      <div class="stack-tight">
        <MainLink to={packagePath(name)} text={name} />
        {description === null ? null : <span class="soft small prose">{description}</span>}
      </div>
    ),
  },
  { label: 'Latest', cell: ({ latest_version: latest }) => <code class="whole">{latest}</code> },
  { label: 'Published', cell: ({ updated_at: at }) => <Time at={at} /> },
];

function PictureSection({
  name,
  steps,
  neighbourhood,
}: Pick<DependentsProps, 'steps' | 'neighbourhood'> & {
  readonly name: string;
}): Child {
  const { picture, count } = neighbourhood;
  if (count === 0) return null;
  return (
    <section class="stack-tight">
      <div class="row">
        <h2>Who requires whom</h2>
        {steps === undefined ? null : (
          <A to={packagePath(name, 'dependents', { steps: String(3 - steps) })} class="row-end small">
            {steps === 2 ? 'Show direct neighbours only' : 'Show one step more'}
          </A>
        )}
      </div>
      <p class="soft small">
        Left: packages that require it. Right: packages that it requires. A dashed box is not published here.
      </p>
      {picture === undefined ? (
        <p>
          There are more than {maxInPicture - 1} neighbours, too many for a picture. The list below has all dependents.
        </p>
      ) : (
        <LayeredPicture picture={picture} label={`Packages around ${name}`} />
      )}
    </section>
  );
}
