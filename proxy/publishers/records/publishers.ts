// Making, listing, changing and removing trusted publishers. The management API, the command line and the console call
// this. Every change is one commit with its audit event (I8). The packages of a publisher need not exist yet.

import { invalidInput } from '../../../build/contract/errors.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { ChangeParts } from '../../state/audit.ts';
import type { StateChange, StateStore } from '../../core/state/state-store.ts';
import { noLimits } from '../../core/views/token-limits.ts';
import type { Issuer } from '../model/issuer.ts';
import {
  mintPublisherId,
  publisherKey,
  type PublisherId,
  type PublisherRecord,
  standardExchanges,
  standardMinutes,
  findPublisher,
  listPublishers,
} from '../model/publisher.ts';
import { publisherUseKey } from '../model/publisher-use.ts';
import { assertRules, chosenIssuer, standardRefs } from './check-rules.ts';
import { assertView, checkedTexts, checkedView } from './publisher-fields.ts';
import type { PublisherDraft, PublisherFields } from './publisher-schema.ts';
import { parseTokenRecord, tokenKey, tokenStatus, type TokenId, type TokenRecord } from '../../core/tokens/token.ts';
import { parseTokenRun, tokenRunPrefix } from '../model/token-run.ts';

export type Publishers = ReturnType<typeof createPublishers>;

export interface ChangedPublisher {
  readonly record: PublisherRecord;
  /** how many of its tokens ended */
  readonly revoked: number;
}

export interface PublishersOptions extends ChangeParts {
  readonly issuers: readonly Issuer[];
}

/** Every call may throw RegistryError: NOT_FOUND, INVALID_INPUT. */
export function createPublishers(options: PublishersOptions) {
  const { store } = options;
  return {
    create: (draft: PublisherDraft) => create(options, draft),
    /** All publishers, oldest first. */
    list: async () => (await listPublishers(store)).map(({ record }) => record),
    get: async (id: string) => (await findPublisher(store, id)).record,
    /**
     * The issuer and the purpose never change: make another publisher. A change of what it trusts or allows revokes the
     * tokens that it gave out.
     */
    update: (id: string, patch: PublisherFields) => update(options, id, patch),
    /** Removes the publisher, and revokes the tokens that it gave out. */
    remove: (id: string) => remove(options, id),
  };
}

async function create(options: PublishersOptions, draft: PublisherDraft): Promise<PublisherRecord> {
  const { store, issuers, now, randomBytes, actor } = options;
  const { purpose } = draft;
  const issuer = chosenIssuer(issuers, draft.issuer);
  const fields = checkedTexts(draft);
  const at = new Date(now()).toISOString();
  const { networks: _networks, ...everything } = noLimits;
  const record: PublisherRecord = {
    id: mintPublisherId(randomBytes),
    name: fields.name ?? fields.repository ?? issuer.kind,
    issuer: issuer.url,
    kind: issuer.kind,
    purpose,
    ...everything,
    ...checkedView(draft),
    repository: fields.repository ?? null,
    repository_id: fields.repository_id ?? null,
    owner_id: fields.owner_id ?? null,
    ids_learnt_at: null,
    workflow: fields.workflow ?? null,
    workflow_claim: fields.workflow_claim ?? 'job',
    environment: fields.environment ?? null,
    refs: fields.refs ?? standardRefs(purpose, issuer),
    claims: fields.claims ?? {},
    token_minutes: fields.token_minutes ?? standardMinutes[purpose],
    exchanges_per_hour: fields.exchanges_per_hour ?? standardExchanges,
    created_at: at,
    created_by: actor,
    updated_at: at,
  };
  assertView(purpose, record);
  assertRules(record);
  const key = publisherKey(record.id);
  const done = await store.commit(
    { conditions: [{ key, revision: null }], puts: [{ key, value: stored(record) }], deletes: [] },
    { actor, action: 'publisher.create', subject: record.id, details: detailsOf(record) },
  );
  if (!done) throw new Error('a freshly minted publisher exists: the source of randomness repeats itself');
  return record;
}

async function update(options: PublishersOptions, text: string, patch: PublisherFields): Promise<ChangedPublisher> {
  const { store, now, actor } = options;
  if (Object.values(patch).every((value) => value === undefined))
    throw invalidInput({ path: '', message: 'nothing to change was given' });
  const given = Object.fromEntries(
    Object.entries({ ...checkedTexts(patch), ...checkedView(patch) }).filter(([, value]) => value !== undefined),
  ) as Partial<PublisherRecord>;
  for (;;) {
    const { record, revision } = await findPublisher(store, text);
    const edited: PublisherRecord = {
      ...record,
      ...idsAfter(record, given),
      ...given,
      updated_at: new Date(now()).toISOString(),
    };
    assertView(edited.purpose, edited);
    assertRules(edited);
    const key = publisherKey(record.id);
    const ends = isAboutTrust(given) ? await endingOf(options, record.id) : undefined;
    const done = await store.commit(
      {
        conditions: [{ key, revision }, ...(ends?.conditions ?? [])],
        puts: [{ key, value: stored(edited) }, ...(ends?.puts ?? [])],
        deletes: [],
      },
      {
        actor,
        action: 'publisher.update',
        subject: record.id,
        details: { ...detailsOf(edited), ...(ends && { revoked_tokens: ends.puts.length }) },
      },
    );
    if (done) return { record: edited, revoked: ends?.puts.length ?? 0 };
  }
}

/** These say how the next tokens are made, and take nothing from those that were given out. */
const harmless: ReadonlySet<string> = new Set(['name', 'token_minutes', 'exchanges_per_hour']);

function isAboutTrust(given: Partial<PublisherRecord>): boolean {
  return Object.keys(given).some((field) => !harmless.has(field));
}

/** Each exchange writes the row of the count, so that no token escapes that was made in between. */
async function endingOf(
  { store, now }: PublishersOptions,
  id: PublisherId,
): Promise<Pick<StateChange, 'conditions' | 'puts'>> {
  const useKey = publisherUseKey(id);
  const use = await store.get(useKey);
  const ended = await endedTokens(store, id, now());
  return {
    conditions: [
      { key: useKey, revision: use?.revision ?? null },
      ...ended.map(({ key, revision }) => ({ key, revision })),
    ],
    puts: ended.map(({ key, record }) => ({ key, value: { ...record } })),
  };
}

type Ids = Pick<PublisherRecord, 'repository_id' | 'owner_id' | 'ids_learnt_at'>;

/**
 * The ids belong to the repository: with another name, learnt ones are learnt anew, and given ones must be given anew.
 */
function idsAfter(before: PublisherRecord, given: Partial<PublisherRecord>): Partial<Ids> {
  if (given.repository_id !== undefined || given.owner_id !== undefined) return { ids_learnt_at: null };
  const isRenamed =
    given.repository !== undefined && given.repository?.toLowerCase() !== before.repository?.toLowerCase();
  if (!isRenamed || (before.repository_id === null && before.owner_id === null)) return {};
  if (before.ids_learnt_at !== null) return { repository_id: null, owner_id: null, ids_learnt_at: null };
  throw invalidInput({
    path: 'repository_id',
    message: `is ${before.repository_id ?? 'not set'} for ${before.repository ?? 'it'}: give the ids of the new repository, or remove them to learn them anew`,
  });
}

async function remove(options: PublishersOptions, text: string): Promise<PublisherRecord> {
  const { store, actor } = options;
  for (;;) {
    const { record, revision } = await findPublisher(store, text);
    const { id, name, repository } = record;
    const { conditions, puts } = await endingOf(options, id);
    const done = await store.commit(
      {
        conditions: [{ key: publisherKey(id), revision }, ...conditions],
        puts,
        deletes: [publisherKey(id), publisherUseKey(id)],
      },
      { actor, action: 'publisher.remove', subject: id, details: { name, repository, revoked_tokens: puts.length } },
    );
    if (done) return record;
  }
}

function stored(record: PublisherRecord): JsonObject {
  return { ...record } as unknown as JsonObject;
}

function detailsOf(record: PublisherRecord): JsonObject {
  const { id: _id, created_at: _created, created_by: _by, updated_at: _updated, ...rules } = record;
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== null)) as unknown as JsonObject;
}

// The active tokens of a publisher, as they are after its removal: revoked.

interface EndedToken {
  readonly key: string;
  readonly record: TokenRecord;
  readonly revision: number;
}

async function endedTokens(
  state: Pick<StateStore, 'get' | 'range'>,
  publisher: PublisherId,
  nowMs: number,
): Promise<readonly EndedToken[]> {
  const rows = (await state.range(tokenRunPrefix)).filter(({ value }) => {
    const { run, expires_at } = parseTokenRun(value);
    return run.publisher === publisher && Date.parse(expires_at) > nowMs;
  });
  const entries = await Promise.all(
    rows.map(({ key }) => state.get(tokenKey(key.slice(tokenRunPrefix.length) as TokenId))),
  );
  return entries.flatMap((entry) => {
    const record = entry === undefined ? undefined : parseTokenRecord(entry.value);
    if (entry === undefined || record === undefined || tokenStatus(record, nowMs) !== 'active') return [];
    const revoked_at = new Date(nowMs).toISOString();
    return [{ key: entry.key, record: { ...record, revoked_at }, revision: entry.revision }];
  });
}
