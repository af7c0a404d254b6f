// The view of a token, for a bundle with what that token sees now: published packages, and those of the mirror.

import type { PackageName } from '../../build/contract/name.ts';
import { tokenStatus } from '../../proxy/core/tokens/token.ts';
import { createPrecedence } from '../../proxy/core/tree/precedence.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { passes, releaseOf, type View } from '../../proxy/core/views/view.ts';
import { seesMirrored, type Seeing } from '../../proxy/mirror/seen-files.ts';
import { rootUrlOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import { composePersonStatus, composeTokens, openExistingState } from '../compose/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { UsageError } from '../io/usage-error.ts';
import { currentUpstreams } from '../mirror/current-mirror-rules.ts';
import { openPrivateNames } from '../mirror/private-names-reader.ts';
import type { WantedVersions } from './locked-versions.ts';

export type TokenView = Omit<Seeing, 'folder'>;

const seesAll: View = { key: '', dated: false, patterns: undefined, filterOf: () => 'all' };

/** `id`: of the token. Throws UsageError for a token that sees nothing, and TokenError for an unknown one. */
export async function viewOfToken(config: Config, context: Context, id: string): Promise<TokenView> {
  const state = await openExistingState(config);
  try {
    const token = await composeTokens(state, { ...context, actor: 'system:bundle' }).get(id);
    const person = token.person === undefined ? undefined : await composePersonStatus(config, state)(token.person);
    const status = tokenStatus(token, context.now().getTime());
    if (status !== 'active' || (token.person !== undefined && person === undefined))
      throw new UsageError(
        `The token ${token.id} ${status === 'active' ? 'is of a person who may not sign in' : `is ${status}`}, and sees nothing. Name another one.`,
      );
    const view = compileView({ ...token, ...(person === undefined ? {} : { packages: person.packages }) }) ?? seesAll;
    const rules = await currentUpstreams(config, context, state);
    const urls = new Map(rules.upstreams.map((upstream) => [upstream.id, rootUrlOf(upstream.url)]));
    const { read, close } = await openPrivateNames(config, context);
    const privateNames = await Promise.resolve(read()).finally(close);
    const precedence = createPrecedence(rules);
    const upstreamsOf = (name: PackageName): readonly URL[] => {
      const belonging = precedence(name, privateNames);
      return belonging.to === 'upstreams' ? belonging.ids.flatMap((one) => urls.get(one) ?? []) : [];
    };
    return { view, upstreams: [...urls.values()], upstreamsOf };
  } finally {
    await state.close();
  }
}

/** What a bundle takes for the view. */
export function versionsOfView(seeing: TokenView): WantedVersions {
  return {
    wants: (name, entry) => passes(seeing.view.filterOf(name), releaseOf(entry)),
    wantsStored: ({ name, version, record }) => seesMirrored(seeing, name, { ...record, version }),
    names: undefined,
  };
}
