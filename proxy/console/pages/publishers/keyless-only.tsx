// The packages that only CI jobs of publishers may upload (setting publishing.keyless_only): shown beside the
// publishers, and changed on a page of its own.

import type { Child } from 'hono/jsx';
import type { JsonValue } from '../../../../build/contract/json.ts';
import { actorOf } from '../../../auth/caller.ts';
import { publisherRows } from '../../../publishers/operations.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import { mayOverlap } from '../../../core/views/pattern-overlap.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink, Form, TextArea } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { publisherPath, publishersTrail, type PublisherPageServices } from './services.ts';

const key = 'publishing.keyless_only';
const path = '/publishers/keyless-only';
const field = 'patterns';

export function registerKeylessOnly(pages: Pages, services: PublisherPageServices): void {
  pages.form({
    path,
    operation: 'updateSettings',
    fieldOf: { [key]: field },
    show: (request, state) => ask(services, request, state),
    submit: (request, fields) => save(services, request, fields),
  });
}

/** The patterns of the setting. */
export async function keylessPatterns({ settings }: PublisherPageServices): Promise<readonly string[]> {
  return (await settings.current())[key];
}

async function save(
  services: PublisherPageServices,
  { caller }: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const before = await keylessPatterns(services);
  const patterns = [...new Set(fields.lines(field))];
  if (before.join('\n') === patterns.join('\n')) return { to: '/publishers', notice: 'same' };
  const value: JsonValue = patterns.length === 0 ? null : patterns;
  await services.settings.update({ [key]: value }, actorOf(caller));
  return { to: '/publishers', notice: patterns.length === 0 ? 'keyless-none' : 'keyless' };
}

async function ask(services: PublisherPageServices, request: SignedInRequest, state: FormState): Promise<PageView> {
  const [patterns, publishers] = await Promise.all([keylessPatterns(services), publisherRows(services, request.nowMs)]);
  const hint = `A name such as acme/app, or acme/*. Empty: no package. ${publishedWords(publishers)}`;
  const sentence =
    'Only CI jobs of publishers upload these packages. Uploads of people and of stored tokens are refused at once. ' +
    'Registered repositories, and builds on the host of the registry, still publish versions of them. Stored versions stay.';
  return headedPage(
    { section: 'publishers', title: 'Keyless only packages', sentence, trail: publishersTrail },
    <Form state={state} submit="Save" cancel="/publishers" asksPassword={request.asksPassword}>
      <TextArea name={field} label="Packages, one in each line" hint={hint} value={patterns.join('\n')} rows={6} />
    </Form>,
  );
}

const maxNamed = 20;

function publishedWords(publishers: readonly PublisherDocument[]): string {
  const published = [...new Set(publishers.flatMap((one) => publishedBy(one)))].toSorted();
  if (published.length === 0) return 'No publisher publishes packages yet.';
  const more = published.length > maxNamed ? ` and ${published.length - maxNamed} more` : '';
  return `Publishers publish ${published.slice(0, maxNamed).join(', ')}${more}.`;
}

interface KeylessOnlyProps {
  readonly patterns: readonly string[];
  readonly publishers: readonly PublisherDocument[];
}

/** The section of the list of publishers. */
export function KeylessOnly({ patterns, publishers }: KeylessOnlyProps): Child {
  const rows = patterns.map((pattern) => ({
    pattern,
    publishers: publishers.filter((one) => publishedBy(one).some((own) => mayOverlap(own, pattern.toLowerCase()))),
  }));
  return (
    <section class="stack-tight">
      <h2>Keyless only packages</h2>
      <p>
        {patterns.length === 0
          ? 'Every package may also be uploaded with a stored token, and by people.'
          : 'Only CI jobs upload these packages. Uploads of people and of stored tokens are refused. Registered repositories and builds on the host still publish.'}
      </p>
      {rows.length === 0 ? null : <Table caption="Keyless only packages" columns={columns} rows={rows} />}
      <p>
        <ButtonLink to={path} icon="pencil" kind="small" label="Change keyless only packages" />
      </p>
    </section>
  );
}

interface KeylessRow {
  readonly pattern: string;
  readonly publishers: readonly PublisherDocument[];
}

const columns: readonly Column<KeylessRow>[] = [
  { label: 'Packages', cell: ({ pattern }) => <code class="breaks">{pattern}</code> },
  { label: 'Publishers', cell: PublishersCell },
];

/** Without one, nobody can upload the package any more. */
function PublishersCell({ publishers }: KeylessRow): Child {
  if (publishers.length === 0) return <Badge kind="warn" label="none: nobody can upload" />;
  return (
    <div class="stack-tight">
      {publishers.map((one) => (
        <A to={publisherPath(one)} class="breaks">
          {one.name}
        </A>
      ))}
    </div>
  );
}

/** Patterns in lower case. */
function publishedBy({ purpose, packages }: PublisherDocument): readonly string[] {
  return purpose === 'publish' ? (packages ?? []) : [];
}
