// The page of the search over everything, and of the console's own pages. The palette in the head shows its results
// while one types.

import type { Child } from 'hono/jsx';
import { findAnything, mostOfKind, type Found, type SearchServices } from '../../../search/find-anything.ts';
import { settingPage } from '../../../settings/setting-groups.ts';
import { WordsFilter } from '../../components/filters.tsx';
import type { IconName } from '../../components/icon-shapes.ts';
import { Icon } from '../../components/icon.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount } from '../../components/values.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { StillReading, type Reading } from '../../components/still-reading.tsx';
import { sections, type Section, type SectionEntry } from '../../frame/sections.ts';

/** `id`: its address below /ui */
interface FoundPage extends Found<'page'> {
  readonly icon: IconName;
}

export function registerSearchPage(pages: Pages, services: SearchServices): void {
  pages.page({
    path: '/search',
    operation: 'listPackages',
    show: async (request) => {
      const words = request.query.get('q')?.trim() ?? '';
      const found = words === '' ? [] : await findAnything(services, request, words, pagesFor(request));
      const reading = await services.mirrored?.firstReading();
      return { title: 'Search', content: <SearchPage {...{ words, found, reading }} /> };
    },
  });
}

/** What else people call a page. */
const synonyms: Partial<Record<string, string>> = {
  packages: 'versions, withdraw, delete, purge',
  tokens: 'create, limit, revoke',
  history: 'history, publications, rollback, roll back, undo',
  publishers: 'trusted publishers, CI, OIDC',
  people: 'users, invite, invitations, roles',
  repositories: 'git, sync, webhook, connections',
  mirror: 'other registries, Packagist',
  health: 'health, doctor, errors',
  security: 'advisory, advisories, vulnerabilities, malware',
  projects: 'lock files, usage, who uses what',
  notifications: 'webhooks, mails',
  settings: 'limits, SSO, single sign-on',
} satisfies Partial<Record<Section, string>>;

/** Pages that this visitor may open. */
function pagesFor({ may }: SignedInRequest): readonly FoundPage[] {
  const entries = sections.filter(({ operation }) => may(operation)) as readonly SectionEntry[];
  const account = { icon: 'circle-user-round', path: '/account', label: 'Your account' } as const;
  return [...entries, { ...account, group: 'password, passkeys, two-factor, 2fa, TOTP, sessions' }].map(
    ({ icon, label, path, group = 'page' }) => {
      const detail = synonyms[path.slice(1)] ?? group;
      return { kind: 'page', icon, id: path, name: label, detail };
    },
  );
}

interface Shown {
  readonly words: string;
  readonly found: readonly (Found | FoundPage)[];
  readonly reading: Reading;
}

function SearchPage({ words, found, reading }: Shown): Child {
  return (
    <>
      <PageHead title="Search" sentence="Packages and their versions, tokens, people, settings and pages." />
      <form class="filters">
        <WordsFilter value={words} placeholder="Such as: money 1.2" />
        <button class="button">Search</button>
      </form>
      <div id="found" hidden={words === ''}>
        <StillReading reading={reading} />
        <p class="soft small" role="status">
          {found.length === 0 ? 'Nothing has these words. Try fewer.' : formatCount(found.length, 'result')}
        </p>
        <ul class="plain">{found.map(FoundRow)}</ul>
        {found.filter(({ kind }) => kind === 'package').length >= mostOfKind ? (
          <A to={`/packages?${new URLSearchParams({ q: words })}`}>All packages with these words</A>
        ) : null}
      </div>
    </>
  );
}

function FoundRow(one: Found | FoundPage): Child {
  const [icon, to] = placeOf(one);
  return (
    <li>
      <A to={to} class="row">
        <Icon name={icon} />
        <span>{one.kind === 'version' ? `${one.name} ${one.id}` : one.name}</span>
        <span class="soft small row-end">{one.detail || one.kind}</span>
      </A>
    </li>
  );
}

/** The icon of a kind, and its page. */
const kinds: Readonly<Record<Found['kind'], readonly [IconName, (found: Found) => string]>> = {
  package: ['package', ({ id }) => `/packages/${id}`],
  version: [
    'git-commit-horizontal',
    ({ name, id }) => `/packages/${name}/version?${new URLSearchParams({ version: id })}`,
  ],
  token: ['key-round', ({ id }) => `/tokens/${id}`],
  person: ['users', ({ id }) => `/people/${id}`],
  setting: ['settings', ({ id }) => settingPage(id)],
};

function placeOf(one: Found | FoundPage): readonly [IconName, string] {
  if (one.kind === 'page') return [one.icon, one.id];
  const [icon, pageOf] = kinds[one.kind];
  return [icon, pageOf(one)];
}
