// The facts of the latest version beside the README: when, from where and by whom it was published, licence, authors,
// links, checksums.

import type { Child } from 'hono/jsx';
import { isJsonObject, type JsonObject } from '../../../../build/contract/json.ts';
import { commitLink } from '../../../packages/source-pages.ts';
import { Fact } from '../../components/fact.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatBytes, Time } from '../../components/values.tsx';
import { sourceOf, type OpenPackage } from './open-package.ts';
import { VersionLink } from './version-link.tsx';
import { webAddress } from './web-links.ts';

export interface FactsPanelProps {
  readonly opened: OpenPackage;
  /** `you`, `root (command line)`; undefined: unknown */
  readonly publisher: string | undefined;
}

export function FactsPanel({ opened, publisher }: FactsPanelProps): Child {
  const { name, latest, details } = opened;
  const { version, since, shasum, size } = latest.entry;
  const location = sourceOf(opened, latest);
  return (
    <dl class="facts">
      <Fact label="Latest version">
        <VersionLink {...{ name, version }} />, {formatBytes(size)}
      </Fact>
      <Fact label="Published">
        <Time at={since} />
        {publisher === undefined ? '' : ` by ${publisher}`}
      </Fact>
      {location === undefined ? null : <Fact label="From" value={<SourceText text={location} />} />}
      <Fact
        label="Reference"
        value={<ShortReference reference={latest.entry.reference} link={commitLink(latest, location)} />}
      />
      {details.license.length === 0 ? null : <Fact label="Licence">{details.license.join(', ')}</Fact>}
      <Keywords record={latest.record} />
      <Authors record={latest.record} />
      <Links links={details.links} />
      <Fact label="SHA-1 of the archive" value={<code>{shasum}</code>} />
    </dl>
  );
}

/** A commit, or the digest of a content. `link`: the page of the commit. */
export function ShortReference({
  reference,
  link,
}: {
  readonly reference: string;
  readonly link: string | undefined;
}): Child {
  const short = <code title={reference}>{reference.slice(0, 12)}</code>;
  return link === undefined ? (
    short
  ) : (
    <ExternalLink to={link}>
      <Icon name="git-commit-horizontal" /> {short}
    </ExternalLink>
  );
}

/** A link to another site, which learns nothing about this one. */
export function ExternalLink({ to, children }: { readonly to: string; readonly children?: Child }): Child {
  return (
    <a href={to} rel="noreferrer noopener">
      {children}
    </a>
  );
}

/** The source of a version: a link if it is an address of the web, and the name of a folder without its path. */
export function SourceText({ text }: { readonly text: string }): Child {
  const to = webAddress(text);
  return to === undefined ? (
    <code>{text.replace(/^\/.*\/(?=.)/, '')}</code>
  ) : (
    <ExternalLink to={to}>{text}</ExternalLink>
  );
}

const maxKeywords = 30;

function Keywords({ record: { keywords } }: { readonly record: JsonObject }): Child {
  const words = Array.isArray(keywords) ? keywords.filter((word) => typeof word === 'string' && word !== '') : [];
  if (words.length === 0) return null;
  const left = words.length - maxKeywords;
  return (
    <Fact label="Keywords">
      {words.slice(0, maxKeywords).join(', ')}
      {left > 0 ? ` and ${left} more` : ''}
    </Fact>
  );
}

const maxAuthors = 10;

function Authors({ record }: { readonly record: JsonObject }): Child {
  const authors = authorsOf(record);
  if (authors.length === 0) return null;
  return (
    <Fact label={authors.length === 1 ? 'Author' : 'Authors'}>
      {authors.slice(0, maxAuthors).map(({ name, homepage }) => (
        <div>{homepage === undefined ? name : <ExternalLink to={homepage}>{name}</ExternalLink>}</div>
      ))}
      {authors.length > maxAuthors ? <div class="soft">and {authors.length - maxAuthors} more</div> : null}
    </Fact>
  );
}

function authorsOf(record: JsonObject): readonly { readonly name: string; readonly homepage: string | undefined }[] {
  const { authors } = record;
  if (!Array.isArray(authors)) return [];
  return authors.flatMap((author: unknown) => {
    if (!isJsonObject(author)) return [];
    const name = author['name'] ?? author['email'];
    return typeof name === 'string' ? [{ name, homepage: webAddress(author['homepage']) }] : [];
  });
}

/** `links`: kind → address. */
function Links({ links }: { readonly links: Readonly<Record<string, string>> }): Child {
  const shown = Object.entries(links).flatMap(([kind, address]) => {
    const to = webAddress(address);
    return to === undefined ? [] : [{ kind, to }];
  });
  if (shown.length === 0) return null;
  return (
    <Fact label="Links">
      {shown.map(({ kind, to }) => (
        <div>
          <ExternalLink to={to}>
            {kind} <Icon name="external-link" />
          </ExternalLink>
        </div>
      ))}
    </Fact>
  );
}
