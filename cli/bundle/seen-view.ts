// What one token sees now, for a bundle of it: published packages, and those of the mirror.

import type { PackageName } from '../../build/contract/name.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { tokenStatus, type TokenRecord } from '../../proxy/core/tokens/token.ts';
import { createPrecedence, type PrivateNames } from '../../proxy/core/tree/precedence.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { passes, releaseOf, type View } from '../../proxy/core/views/view.ts';
import { seesMirrored, type Seeing } from '../../proxy/mirror/seen-files.ts';
import { rootUrlOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import { composePersonStatus, composeTokens, openExistingState } from '../compose/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { UsageError } from '../io/usage-error.ts';
import { currentUpstreams } from '../mirror/current-mirror-rules.ts';
import { openLocalPolicyAdmin, type LocalPolicyAdmin } from '../policy-admin/local-policy-admin.ts';
import type { WantedVersions } from './locked-versions.ts';

export type TokenView = Omit<Seeing, 'folder'>;

const seesAll: View = { key: '', dated: false, patterns: undefined, filterOf: () => 'all' };

/** `id`: of the token. Rejects with UsageError for a token that sees nothing, and with TokenError for an unknown one. */
export async function withViewOfToken<Result>(
  config: Config,
  context: Context,
  id: string,
  work: (seen: TokenView) => Promise<Result>,
): Promise<Result> {
  const state = await openExistingState(config);
  let here: LocalPolicyAdmin | undefined;
  try {
    const token = await composeTokens(state, { ...context, actor: 'system:bundle' }).get(id);
    here = await openLocalPolicyAdmin(config, context, state);
    const { policy, privateNames } = here;
    let last: { readonly name: PackageName; readonly versions: Promise<ReadonlySet<string>> } | undefined;
    const isOffered: TokenView['isOffered'] = async (name, { version }) => {
      // asked for one package after the other: each is read and judged once
      if (last?.name !== name) last = { name, versions: policy.withheld(name, token.id) };
      return !(await last.versions).has(String(version));
    };
    const view = await viewOf(config, context, state, token);
    return await work({ view, ...(await upstreamsOf(config, context, state, await privateNames())), isOffered });
  } finally {
    await here?.close();
    await state.close();
  }
}

async function viewOf(config: Config, context: Context, state: StateStore, token: TokenRecord): Promise<View> {
  const person = token.person === undefined ? undefined : await composePersonStatus(config, state)(token.person);
  const status = tokenStatus(token, context.now().getTime());
  if (status !== 'active' || (token.person !== undefined && person === undefined))
    throw new UsageError(
      `The token ${token.id} ${status === 'active' ? 'is of a person who may not sign in' : `is ${status}`}, and sees ` +
        'nothing. Name another one.',
    );
  return compileView({ ...token, ...(person === undefined ? {} : { packages: person.packages }) }) ?? seesAll;
}

async function upstreamsOf(
  config: Config,
  context: Context,
  state: StateStore,
  privateNames: PrivateNames,
): Promise<Pick<Seeing, 'upstreams' | 'upstreamsOf'>> {
  const rules = await currentUpstreams(config, context, state);
  const urls = new Map(rules.upstreams.map((upstream) => [upstream.id, rootUrlOf(upstream.url)]));
  const precedence = createPrecedence(rules);
  return {
    upstreams: [...urls.values()],
    upstreamsOf: (name) => {
      const belonging = precedence(name, privateNames);
      return belonging.to === 'upstreams' ? belonging.ids.flatMap((one) => urls.get(one) ?? []) : [];
    },
  };
}

/** What a bundle takes for the view. */
export function versionsOfView(seen: TokenView): WantedVersions {
  return {
    wants: async (name, entry) =>
      passes(seen.view.filterOf(name), releaseOf(entry)) && seen.isOffered(name, { version: entry.version }),
    wantsStored: async ({ name, version, record }) =>
      seesMirrored(seen, name, { ...record, version }) && seen.isOffered(name, { version }),
    names: undefined,
  };
}
