// The frame of every page of the console: top bar with search, navigation, page.

import { type Child, useContext } from 'hono/jsx';
import { decideFor, type SessionCaller } from '../../auth/caller.ts';
import type { PageView } from './definitions.ts';
import { groups, sections, type Section, type SectionEntry } from './sections.ts';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { A, assetAt, BrandContext, hrefTo, PlaceContext } from '../components/place.tsx';

interface LayoutProps {
  readonly view: PageView;
  /** undefined: nobody is signed in */
  readonly caller: SessionCaller | undefined;
  /** what the last post did */
  readonly notice: string | undefined;
}

export function ConsoleLayout({ view, caller, notice }: LayoutProps): Child {
  const { title, content, section, bare = false, refreshSeconds, continuesAt } = view;
  const message = notice === undefined ? null : <Notice kind="good">{notice}</Notice>;
  return (
    <html lang="en" data-color={useContext(BrandContext).color}>
      <DocumentHead
        title={title}
        refreshSeconds={refreshSeconds}
        continuesAt={continuesAt}
        hasPasskeys={caller?.provesWith.passkey === true}
      />
      {bare || caller === undefined ? (
        <body class="bare">
          <Brand />
          <main class="stack">
            {message}
            {content}
          </main>
        </body>
      ) : (
        <body>
          <a class="skip" href="#page">
            Skip to the page
          </a>
          <TopBar caller={caller} />
          <div class="frame">
            <Sections caller={caller} current={section} />
            <main id="page" class="stack" tabindex={-1}>
              {message}
              {content}
            </main>
          </div>
        </body>
      )}
    </html>
  );
}

interface HeadProps {
  /** of the page */
  readonly title: string;
  readonly refreshSeconds?: number | undefined;
  readonly continuesAt?: string | undefined;
  /** the person may confirm with a passkey, also in a dialog, whose own scripts no browser runs */
  readonly hasPasskeys?: boolean;
}

function DocumentHead({ title, refreshSeconds, continuesAt, hasPasskeys = false }: HeadProps): Child {
  const place = useContext(PlaceContext);
  const { name } = useContext(BrandContext);
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · ${name}`}</title>
      <link rel="icon" href={assetAt(place, 'icon.svg')} />
      <link rel="stylesheet" href={assetAt(place, 'style.css')} />
      <script type="module" src={assetAt(place, 'script.js')}></script>
      {hasPasskeys ? <script type="module" src={assetAt(place, 'passkeys.js')}></script> : null}
      {continuesAt === undefined ? null : <meta http-equiv="refresh" content={`0; url=${continuesAt}`} />}
      {refreshSeconds === undefined ? null : (
        <noscript>
          <meta http-equiv="refresh" content={String(refreshSeconds)} />
        </noscript>
      )}
    </head>
  );
}

function Brand(): Child {
  return (
    <A to="/" class="brand">
      <Icon name="book-open-text" />
      <span>{useContext(BrandContext).name}</span>
    </A>
  );
}

function TopBar({ caller }: { readonly caller: SessionCaller }): Child {
  const place = useContext(PlaceContext);
  return (
    <header class="top-bar">
      <button type="button" class="sections-button" popovertarget="sections" aria-label="Menu">
        <Icon name="menu" />
      </button>
      <Brand />
      <form class="search menu" role="search" action={hrefTo(place, '/search')} data-live="found">
        <Icon name="search" />
        <input type="search" name="q" placeholder="Search" aria-label="Search" autocomplete="off" data-slash />
        <kbd aria-hidden="true">/</kbd>
      </form>
      <details class="menu person">
        <summary>
          <Icon name="circle-user-round" />
          <span>{caller.email}</span>
          <Icon name="chevron-down" />
        </summary>
        <div>
          <p class="small soft">You are signed in as {caller.role}.</p>
          <A to="/account">
            <Icon name="shield-check" />
            Your account
          </A>
          <form method="post" action={hrefTo(place, '/sign-out')}>
            <button>
              <Icon name="log-out" />
              Sign out
            </button>
          </form>
        </div>
      </details>
    </header>
  );
}

interface SectionsProps {
  readonly caller: SessionCaller;
  readonly current: Section | undefined;
}

function Sections({ caller, current }: SectionsProps): Child {
  const open: readonly SectionEntry[] = sections.filter(({ operation }) => decideFor(operation, caller) === 'allowed');
  const entriesOf = (title: string | undefined): Child => (
    <ul>
      {open
        .filter(({ group }) => group === title)
        .map(({ id, label, path, icon }) => (
          <li>
            <A to={path} {...(id === current ? { 'aria-current': 'page' } : {})}>
              <Icon name={icon} />
              {label}
            </A>
          </li>
        ))}
    </ul>
  );
  return (
    <nav class="sections" id="sections" aria-label="Sections" popover="auto">
      {entriesOf(undefined)}
      {groups
        .filter((title) => open.some(({ group }) => group === title))
        .map((title) => (
          <>
            <p>{title}</p>
            {entriesOf(title)}
          </>
        ))}
    </nav>
  );
}
