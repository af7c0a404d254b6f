// The check of trusted publishers: whether a job could exchange its ID token now, and which of them nobody uses. It
// requests only the keys of the issuers that publishers name, as an exchange does.

import { isDenied } from '../../build/egress/egress-failure.ts';
import { IssuerUnavailable, type FetchIssuer } from '../../proxy/oidc/fetch-issuer.ts';
import { type PublisherRecord, listPublishers } from '../../proxy/publishers/model/publisher.ts';
import { parsePublisherUse, publisherUseKey } from '../../proxy/publishers/model/publisher-use.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { composeIssuerRequests } from '../compose/issuer-requests.ts';
import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { failed, ok, unserved, warning, type Finding } from './finding.ts';

const unusedDays = 90;
const mostNamed = 10;
const name = 'publisher';

/** Returns no finding without publishers. */
export async function check(config: Config, { now }: Context): Promise<readonly Finding[]> {
  return withStateIfAny(config, [], async (state) => {
    const records = (await listPublishers(state)).map(({ record }) => record);
    if (records.length === 0) return [];
    const problems = [
      ...(config.origin.value === undefined
        ? unserved(config, 'api', name, 'CI jobs have trusted publishers', ': no job can exchange')
        : []),
      ...withoutAddress(config),
      ...dropped(config, records).slice(0, mostNamed),
      ...(await keyFindings(config, records)),
    ];
    return [
      ...(problems.length > 0 ? problems : [ok(name, `${counted(records.length, 'trusted publisher')} can be used`)]),
      ...(await unused(state, records, now().getTime())).slice(0, mostNamed),
    ];
  });
}

function withoutAddress(config: Config): readonly Finding[] {
  if (publicUrlOf(config) !== undefined) return [];
  return [
    failed(
      name,
      'the address of this registry is not known, so no ID token can be made for it: no job can exchange',
      'Set "publicUrl" in libretto.json to the address that clients use, such as "https://packages.example.org".',
    ),
  ];
}

function isAccepted({ oidcIssuers }: Config, { issuer, kind }: PublisherRecord): boolean {
  return oidcIssuers.value.some((one) => one.url === issuer && one.kind === kind);
}

function dropped(config: Config, records: readonly PublisherRecord[]): readonly Finding[] {
  return records
    .filter((record) => !isAccepted(config, record))
    .map(({ id, name: title, issuer, kind }) =>
      warning(
        name,
        `${title} (${id}) accepts no job: the setting oidcIssuers does not name ${kind}=${issuer}`,
        `Add it to oidcIssuers, and restart the server; or remove the publisher: \`libretto publisher remove ${id} --yes\`.`,
      ),
    );
}

async function keyFindings(config: Config, records: readonly PublisherRecord[]): Promise<readonly Finding[]> {
  const requests = composeIssuerRequests(config);
  const issuers = new Set(records.filter((record) => isAccepted(config, record)).map(({ issuer }) => issuer));
  try {
    return (await Promise.all([...issuers].map((issuer) => keyFinding(issuer, requests.fetchIssuer)))).flat();
  } finally {
    requests.close();
  }
}

async function keyFinding(issuer: string, fetchIssuer: FetchIssuer): Promise<readonly Finding[]> {
  try {
    await fetchIssuer(issuer);
    return [];
  } catch (error) {
    if (!(error instanceof IssuerUnavailable)) throw error;
    const advice = isDenied(error)
      ? 'Its address is not public. If the address is right, list it in egress.allow of libretto.json.'
      : 'Check whether this host can reach it, and its address in oidcIssuers. A running server uses its last keys for ' +
        'one hour.';
    return [failed(name, `the keys of ${issuer} cannot be fetched: ${error.message}`, advice)];
  }
}

/** No fault: a repository may publish seldom. Who left may have forgotten it. */
async function unused(
  state: StateStore,
  records: readonly PublisherRecord[],
  nowMs: number,
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    records.map(async ({ id, name: title, created_at: made }) => {
      const entry = await state.get(publisherUseKey(id));
      const last = entry === undefined ? undefined : parsePublisherUse(entry.value).last_at;
      if (nowMs - Date.parse(last ?? made) < unusedDays * 86_400_000) return [];
      const since = last === undefined ? `since it was made at ${made}` : `since ${last}`;
      const message = `no job has used ${title} (${id}) for ${unusedDays} days, ${since}`;
      return [{ ...ok(name, message), advice: `If nobody needs it: \`libretto publisher remove ${id} --yes\`.` }];
    }),
  );
  return found.flat();
}
