// What a version requires, replaces, provides, suggests, and conflicts with: one table for each.

import type { Child } from 'hono/jsx';
import type { JsonObject } from '../../../../build/contract/json.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { IconName } from '../../components/icon.tsx';
import { MainLink } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { linksOf, type LinkKind } from '../../../packages/package-summary.ts';
import type { LocateName, NamePlace } from './name-places.ts';
import { packagePath } from './open-package.ts';

interface LinksProps {
  readonly record: JsonObject;
  readonly locate: LocateName;
}

interface LinkRow {
  readonly name: string;
  /** a constraint, or the reason of a suggestion */
  readonly text: string;
  readonly place: NamePlace;
}

const headings: readonly (readonly [kind: LinkKind, heading: string])[] = [
  ['require', 'Requires'],
  ['require-dev', 'Requires for development'],
  ['provide', 'Provides'],
  ['replace', 'Replaces'],
  ['conflict', 'Conflicts with'],
  ['suggest', 'Suggests'],
];

export function Links({ record, locate }: LinksProps): Child {
  const tables = headings.flatMap(([kind, heading]) => {
    const rows = Object.entries(linksOf(record, kind)).map(([name, text]) => ({ name, text, place: locate(name) }));
    return rows.length === 0 ? [] : [{ kind, heading, rows }];
  });
  if (tables.length === 0)
    return (
      <EmptyState icon="link" title="No dependencies">
        This version requires no other package.
      </EmptyState>
    );
  return (
    <>
      {tables.map(({ kind, heading, rows }) => (
        <section class="stack-tight">
          <h2>{heading}</h2>
          <Table
            caption={heading}
            columns={kind === 'suggest' ? suggestionColumns : columns}
            rows={rows.slice(0, maxRows)}
          />
          {rows.length > maxRows ? <p class="soft small">and {rows.length - maxRows} more</p> : null}
        </section>
      ))}
    </>
  );
}

const maxRows = 300;

const nameColumn: Column<LinkRow> = {
  label: 'Package',
  cell: ({ name, place }) =>
    place === 'here' || place === 'mirrored' ? <MainLink to={packagePath(name.toLowerCase())} text={name} /> : name,
};
const whereColumn: Column<LinkRow> = { label: 'Where', cell: ({ place }) => <PlaceBadge place={place} /> };

const columns: readonly Column<LinkRow>[] = [
  nameColumn,
  { label: 'Constraint', cell: ({ text }) => <code>{text}</code> },
  whereColumn,
];
const suggestionColumns: readonly Column<LinkRow>[] = [
  nameColumn,
  { label: 'Reason', isPlain: true, cell: ({ text }) => text },
  whereColumn,
];

const places: Readonly<Record<NamePlace, { readonly word: string; readonly icon: IconName }>> = {
  here: { word: 'published here', icon: 'package' },
  mirrored: { word: 'mirrored', icon: 'layers' },
  platform: { word: 'platform', icon: 'settings' },
  elsewhere: { word: 'elsewhere', icon: 'external-link' },
};

function PlaceBadge({ place }: { readonly place: NamePlace }): Child {
  const { word, icon } = places[place];
  return <Badge icon={icon} label={word} />;
}
