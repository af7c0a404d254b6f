// Exchanges the ID token of a CI job for a token of this registry. One commit uses the ID token up, makes the token,
// counts the exchange, and pins what is learnt of the repository, with one audit event. Of two exchanges of one ID
// token, at any hosts, one succeeds.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import type { PublishedFrom } from '../../artifacts/published-from.ts';
import { newToken, type NewToken } from '../../auth/tokens.ts';
import { type TokenRecord, tokenHashKey, tokenKey, type TokenId } from '../../core/tokens/token.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import type { StateChange, StateEntry, StateStore } from '../../core/state/state-store.ts';
import { dialects } from '../claims/dialects.ts';
import { publisherKey, type PublisherRecord, listPublishers } from '../model/publisher.ts';
import { parsePublisherUse, publisherUseKey, windowAt, type PublisherUse } from '../model/publisher-use.ts';
import { tokenRunKey, type TokenRun, parseTokenRun, tokenRunPrefix } from '../model/token-run.ts';
import type { Stored } from '../../state/rows.ts';
import { ofSameRepository } from '../records/same-repository.ts';
import { choosePublisher, type TokenOrder } from './choose-publisher.ts';
import { exchangesUsedUp } from './refusals.ts';
import { usedIdTokens, type IdToken } from './verify-id-token.ts';
import { useOnce, wasUsed } from '../../state/used-once.ts';
import type { TokenHash } from '../../core/tokens/token-format.ts';
import { tokenUseKey } from '../../core/tokens/token-uses.ts';

export interface Exchanged {
  readonly secret: Secret;
  readonly token: TokenRecord;
  readonly publisher: PublisherRecord;
  readonly run: PublishedFrom;
}

export type ExchangeParts = Omit<ChangeParts, 'actor'>;

/** Other exchanges of the same publisher come first at most this often. */
const mostAttempts = 50;

/** Throws RegistryError: PUBLISHER_MISMATCH, ID_TOKEN_USED, CONFLICT, RATE_LIMIT_EXCEEDED, STATE_BUSY. */
export async function exchangeIdToken(parts: ExchangeParts, idToken: IdToken, wish: TokenOrder): Promise<Exchanged> {
  const { store, now } = parts;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    if (await wasUsed(store, usedIdTokens, idToken.onceId)) throw new RegistryError('ID_TOKEN_USED');
    const publishers = await listPublishers(store);
    const found = choosePublisher(publishers, idToken, wish);
    const use = await store.get(publisherUseKey(found.record.id));
    const planned = plan(parts, idToken, found, use, now());
    const { change, exchanged } = planned;
    const unchanged = planned.learnt === undefined ? [] : ofSameRepository(found.record, publishers);
    const expiry = { expiresMs: idToken.expiresMs, nowMs: now() };
    const once = await useOnce(store, usedIdTokens, idToken.onceId, expiry);
    const ended = await endedTokens(store, exchanged.token.id, now());
    const done = await store.commit(
      {
        conditions: [
          ...once.conditions,
          ...change.conditions,
          // none of them pins another id at the same time
          ...unchanged.map(({ record, revision }) => ({ key: publisherKey(record.id), revision })),
        ],
        puts: [...once.puts, ...change.puts],
        deletes: [...once.deletes, ...ended],
      },
      {
        actor: actorOf(found.record),
        action: 'publisher.exchange',
        subject: found.record.id,
        details: detailsOf(planned),
      },
    );
    if (done) return exchanged;
  }
  throw new RegistryError('STATE_BUSY');
}

interface Plan {
  readonly change: Pick<StateChange, 'conditions' | 'puts'>;
  readonly exchanged: Exchanged;
  readonly learnt: Partial<PublisherRecord> | undefined;
}

function plan(
  parts: ExchangeParts,
  { claims, issuer }: IdToken,
  { record, revision }: Stored<PublisherRecord>,
  use: StateEntry | undefined,
  nowMs: number,
): Plan {
  const job = dialects[issuer.kind].read(claims, issuer.url);
  const run: PublishedFrom = { publisher: record.id, ...job.run };
  const counted = countedUse(record, use, run, nowMs);
  const learnt = learntIds(record, job, nowMs);
  const publisher = { ...record, ...learnt };
  const token = tokenOf(parts, record, run, nowMs);
  const beside: TokenRun = { run, hash: token.record.hash, expires_at: token.record.expires_at ?? '' };
  return {
    change: {
      conditions: [
        { key: publisherKey(record.id), revision },
        { key: publisherUseKey(record.id), revision: use?.revision ?? null },
        ...token.conditions,
      ],
      puts: [
        ...token.puts,
        { key: tokenRunKey(token.record.id), value: { ...beside, run: { ...run } } },
        { key: publisherUseKey(record.id), value: { ...counted, last: { ...run } } },
        ...(learnt === undefined
          ? []
          : [{ key: publisherKey(record.id), value: { ...publisher } as unknown as StateChange['puts'][0]['value'] }]),
      ],
    },
    exchanged: { secret: token.secret, token: token.record, publisher, run },
    learnt,
  };
}

function countedUse(
  { exchanges_per_hour: limit }: PublisherRecord,
  entry: StateEntry | undefined,
  run: PublishedFrom,
  nowMs: number,
): PublisherUse {
  const { used, endsMs } = windowAt(entry === undefined ? undefined : parsePublisherUse(entry.value), nowMs);
  if (used >= limit) throw exchangesUsedUp(limit, endsMs - nowMs);
  return { used: used + 1, ends_ms: endsMs, last_at: new Date(nowMs).toISOString(), last: run };
}

/** The ids that the publisher does not have yet. From now on they alone count. */
function learntIds(
  { repository_id: id, owner_id: owner }: PublisherRecord,
  { repositoryId, ownerId }: ReturnType<(typeof dialects)['github']['read']>,
  nowMs: number,
): Partial<PublisherRecord> | undefined {
  const learnsId = id === null && repositoryId.value !== null;
  const learnsOwner = owner === null && ownerId.value !== null;
  if (!learnsId && !learnsOwner) return undefined;
  return {
    ...(learnsId ? { repository_id: repositoryId.value } : {}),
    ...(learnsOwner ? { owner_id: ownerId.value } : {}),
    ids_learnt_at: new Date(nowMs).toISOString(),
  };
}

function tokenOf(parts: ExchangeParts, record: PublisherRecord, run: PublishedFrom, nowMs: number): NewToken {
  const { packages, constraints, stability, not_after } = record;
  return newToken(
    { ...parts, actor: actorOf(record) },
    {
      description: descriptionOf(record, run),
      kind: record.purpose === 'publish' ? 'write' : 'read',
      expiresAt: new Date(nowMs + record.token_minutes * 60_000),
      limits: { packages, constraints, stability, not_after },
    },
  );
}

/** Words of the claims: one line, and not too long. */
function descriptionOf({ name }: PublisherRecord, { repository, run_id: run }: PublishedFrom): string {
  const job = [repository, run === null ? null : `run ${run}`].filter((part) => part !== null).join(' ');
  return `${name}: ${job === '' ? 'a CI job' : job}`.replaceAll(/\p{C}/gu, ' ').slice(0, 200).trim();
}

function actorOf({ id }: Pick<PublisherRecord, 'id'>): Actor {
  return `publisher:${id}`;
}

function detailsOf({ exchanged: { token, run, publisher }, learnt }: Plan) {
  const { publisher: _id, ...job } = run;
  return {
    token_id: token.id,
    kind: token.kind,
    expires_at: token.expires_at,
    name: publisher.name,
    ...Object.fromEntries(Object.entries(job).filter(([, value]) => value !== null)),
    ...(learnt === undefined ? {} : { learnt: { ...learnt } as Record<string, string> }),
  };
}

const lookedAt = 20;
/** Lists and the audit log show an ended token for this time. */
const keptMs = 86_400_000;

/**
 * The rows of publishers' tokens that ended a day ago. Each exchange looks at a few rows behind its own, and removes
 * more than it adds, so that they never pile up.
 */
async function endedTokens(
  state: Pick<StateStore, 'range'>,
  token: TokenId,
  nowMs: number,
): Promise<readonly string[]> {
  const runs = await state.range(tokenRunPrefix, { after: tokenRunKey(token), limit: lookedAt });
  return runs.flatMap(({ key, value }) => {
    const { hash, expires_at } = parseTokenRun(value);
    if (Date.parse(expires_at) + keptMs >= nowMs) return [];
    const id = key.slice(tokenRunPrefix.length) as TokenId;
    return [key, tokenKey(id), tokenHashKey(hash as TokenHash), tokenUseKey(id)];
  });
}
