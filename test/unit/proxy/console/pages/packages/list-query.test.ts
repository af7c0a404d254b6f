// Tests what the list of packages shows for an address.

import { describe, expect, it } from 'vitest';
import {
  listPath,
  parseListQuery,
  selectPackages,
  type PackageRow,
} from '../../../../../../proxy/console/pages/packages/list-query.ts';
import type { PackageName } from '../../../../../../build/contract/name.ts';

const row = (name: string, more: Partial<PackageRow & PackageRow['summary']> = {}): PackageRow => ({
  isMirrored: more.isMirrored ?? false,
  downloads: more.downloads ?? 0,
  hasAdvisories: more.hasAdvisories ?? false,
  isLatestAdvised: false,
  summary: {
    name: name as PackageName,
    description: null,
    type: more.type ?? 'library',
    keywords: [],
    abandoned: more.abandoned ?? false,
    latest_version: more.latest_version ?? '1.0.0',
    versions: 1,
    updated_at: more.updated_at ?? '2026-01-01T00:00:00Z',
    homepage: null,
    repository: null,
    requires: new Set(),
    provides: new Set(),
    text: name,
  },
});
const rows = [
  row('acme/a', { downloads: 3, updated_at: '2026-03-01T00:00:00Z' }),
  row('acme/b', { latest_version: 'dev-main', type: 'project', abandoned: 'acme/a' }),
  row('acme/c', { downloads: 9, hasAdvisories: true }),
  row('psr/log', { isMirrored: true, updated_at: '2026-02-01T00:00:00Z' }),
];
const factOf = (name: PackageName): PackageRow => rows.find(({ summary }) => summary.name === name)!;
const found = (query: string): string[] =>
  selectPackages(rows, parseListQuery(new URLSearchParams(query)), {
    downloadsOf: (name) => factOf(name).downloads,
    hasAdvisories: (name) => factOf(name).hasAdvisories,
  }).map(({ summary }) => summary.name);

describe('the list of packages', () => {
  it.each([
    ['', ['acme/a', 'acme/b', 'acme/c', 'psr/log']],
    ['q=log', ['psr/log']],
    ['type=project', ['acme/b']],
    ['stability=stable', ['acme/a', 'acme/c', 'psr/log']],
    ['stability=dev', ['acme/b']],
    ['state=abandoned', ['acme/b']],
    ['state=advisory', ['acme/c']],
    ['origin=mirrored', ['psr/log']],
    ['origin=private&sort=downloads', ['acme/c', 'acme/a', 'acme/b']],
    ['sort=updated', ['acme/a', 'psr/log', 'acme/b', 'acme/c']],
    ['sort=other&stability=other', ['acme/a', 'acme/b', 'acme/c', 'psr/log']],
  ])('?%s', (query, names) => expect(found(query)).toEqual(names));

  it.each(['0', '-1', '1.5', 'x', '1e300'])('has no page %s, and shows the first', (page) =>
    expect(parseListQuery(new URLSearchParams({ page })).page).toBe(1),
  );

  it.each(['', 'q=a+b&type=library', 'state=advisory&sort=updated&page=3'])('keeps its address: %s', (text) => {
    const query = parseListQuery(new URLSearchParams(text));
    expect(parseListQuery(new URL(listPath(query), 'http://localhost').searchParams)).toEqual(query);
    expect(listPath(query)).toBe(text === '' ? '/packages' : `/packages?${text}`);
  });
});
