// The views of endpoints: each is the view of a token as it is now.

import { parseTokenRecord, tokenKey, tokenStatus } from '../../core/tokens/token.ts';
import type { Catalogue } from '../../packages/catalogue.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { compileAccess } from '../../core/views/compile-access.ts';
import type { View } from '../../core/views/view.ts';
import type { EndpointRecord } from '../model/endpoint.ts';
import type { PackageInView } from '../model/event-filter.ts';
import { readRow } from '../../state/rows.ts';

export type EndpointViews = ReturnType<typeof createEndpointViews>;

const rememberedViews = 200;

export function createEndpointViews({
  state,
  catalogue,
  now,
}: {
  readonly state: Pick<StateStore, 'get'>;
  readonly catalogue: Pick<Catalogue, 'read'>;
  /** epoch milliseconds */
  readonly now: () => number;
}) {
  const accessOf = compileAccess(rememberedViews);
  const see = async (name: string, view?: View): Promise<PackageInView | undefined> => {
    const versions = (await catalogue.read(now(), view)).versionsOf(name);
    const [newest] = versions;
    return newest && { abandoned: newest.facts.abandoned, versions: versions.map(({ version }) => version) };
  };
  return {
    /**
     * `all`: no token limits the endpoint, or its token sees all. `ended`: its token was revoked or has expired, or is
     * of a person: such a token sees what the person sees at the moment, and has no view of its own.
     */
    viewOf: async ({ view: id }: Pick<EndpointRecord, 'view'>): Promise<View | 'all' | 'ended'> => {
      if (id === null) return 'all';
      const token = await readRow(state, tokenKey(id), parseTokenRecord);
      if (token === undefined || token.person !== undefined || tokenStatus(token, now()) !== 'active') return 'ended';
      return accessOf(token).view ?? 'all';
    },
    /** The package as the view sees it; undefined: it sees none of its versions. */
    seePackage: (view: View, name: string) => see(name, view),
    /** True if the package is published here and the view sees none of its versions. */
    hidesPackage: async (view: View, name: string) =>
      (await see(name)) !== undefined && (await see(name, view)) === undefined,
  };
}
