// Imports the trusted publishers of a configuration document. A publisher is found by its issuer, purpose and name. Of
// several with one name, equal ones belong together first, so that a second import changes nothing.

import { invalidInput } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PublisherRecord } from '../../proxy/publishers/model/publisher.ts';
import { checkedTexts, checkedView } from '../../proxy/publishers/records/publisher-fields.ts';
import type { Publishers } from '../../proxy/publishers/records/publishers.ts';
import { differences } from './differences.ts';
import type { ImportDraft } from './import-draft.ts';
import { publisherEntry, type PublisherEntry } from './publisher-entry.ts';

interface ImportEntry {
  readonly place: string;
  readonly entry: PublisherEntry;
}

export async function importPublishers(
  entries: readonly PublisherEntry[],
  publishers: Publishers,
  draft: ImportDraft,
): Promise<void> {
  const wanted: ImportEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const place = `publishers[${index}]`;
    await draft.attempt(place, () => Promise.resolve(void wanted.push({ place, entry: canonical(entry) })));
  }
  const left = [...(await publishers.list())];
  const take = (isWanted: (record: PublisherRecord) => boolean): PublisherRecord | undefined => {
    const at = left.findIndex(isWanted);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const differing = wanted.filter(
    ({ entry }) => take((record) => isSame(record, entry) && changedFields(entry, record) === undefined) === undefined,
  );
  for (const { place, entry } of differing) {
    const present = take((record) => isSame(record, entry));
    await draft.attempt(place, () =>
      present === undefined ? add(entry, publishers, draft) : change(entry, present, publishers, draft),
    );
  }
}

async function add(entry: PublisherEntry, publishers: Publishers, draft: ImportDraft): Promise<void> {
  const record = await publishers.create(entry);
  if (record.kind !== entry.kind)
    throw invalidInput({
      path: 'kind',
      message: `is ${entry.kind}, but the setting oidcIssuers names ${entry.issuer} as ${record.kind}`,
    });
  const { name, ...fields } = publisherEntry(record) as unknown as JsonObject;
  draft.changes.push({ what: 'publisher', name: String(name), change: 'create', fields });
}

async function change(
  entry: PublisherEntry,
  present: PublisherRecord,
  publishers: Publishers,
  draft: ImportDraft,
): Promise<void> {
  const fields = changedFields(entry, present) ?? {};
  await publishers.update(present.id, fields);
  draft.changes.push({ what: 'publisher', name: present.name, change: 'update', fields });
}

/** As the registry stores it, so that other ways to write the same are no difference. Throws INVALID_INPUT. */
function canonical(entry: PublisherEntry): PublisherEntry {
  return { ...entry, ...checkedTexts(entry), ...checkedView(entry) } as PublisherEntry;
}

function isSame(record: PublisherRecord, { issuer, kind, purpose, name }: PublisherEntry): boolean {
  return record.issuer === issuer && record.kind === kind && record.purpose === purpose && record.name === name;
}

/** Ids that the file does not know stay pinned: an older file must not open the way for a new repository of this name. */
function changedFields(entry: PublisherEntry, present: PublisherRecord): JsonObject | undefined {
  const { repository_id, owner_id, ...rest } = entry;
  const ids = Object.fromEntries(Object.entries({ repository_id, owner_id }).filter(([, id]) => id !== null));
  const given = Object.entries({ ...rest, ...ids }).filter(([, value]) => value !== undefined);
  const fields = differences(Object.fromEntries(given) as JsonObject, publisherEntry(present) as unknown as JsonObject);
  // with another repository, the pinned ids are given anew
  return fields?.['repository'] === undefined ? fields : { ...fields, ...ids };
}
