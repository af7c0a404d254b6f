// The page of the search over everything. The palette in the head shows its results while one types.

import type { Child } from 'hono/jsx';
import { WordsFilter } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import { formatCount } from '../../components/quantity.ts';
import type { Pages } from '../../frame/pages.ts';
import { findAnything, type Found, type SearchPageServices } from './find-anything.ts';

export function registerSearchPage(pages: Pages, services: SearchPageServices): void {
  pages.page({
    path: '/search',
    operation: 'listPackages',
    show: async (request) => {
      const words = request.query.get('q')?.trim() ?? '';
      const found = words === '' ? [] : await findAnything(services, request, words);
      return { title: 'Search', content: <SearchPage words={words} found={found} /> };
    },
  });
}

function SearchPage({ words, found }: { readonly words: string; readonly found: readonly Found[] }): Child {
  return (
    <>
      <PageHead title="Search" sentence="Packages and their versions, tokens, people, settings and pages." />
      <form class="filters">
        <WordsFilter value={words} placeholder="Such as: money 1.2" />
        <button class="button">Search</button>
      </form>
      <div id="found" hidden={words === ''}>
        <p class="soft small" role="status">
          {found.length === 0 ? 'Nothing has these words. Try fewer.' : formatCount(found.length, 'result')}
        </p>
        <ul class="plain">
          {found.map(({ icon, label, detail, to }) => (
            <li>
              <A to={to} class="row">
                <Icon name={icon} />
                <span>{label}</span>
                <span class="soft small row-end">{detail}</span>
              </A>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
