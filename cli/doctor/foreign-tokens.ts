// The check of tokens that still have the secret of another registry: secret scanners do not know such a secret.

import { parseTokenRecord, tokenKeyPrefix, tokenStatus } from '../../proxy/core/tokens/token.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { warning, type Finding } from './finding.ts';

/** Returns no finding if each token has a secret of this registry, its former one included. */
export async function check(config: Config, { now }: Context): Promise<readonly Finding[]> {
  return withStateIfAny(config, [], async (state) => {
    const nowMs = now().getTime();
    const left = (await state.range(tokenKeyPrefix))
      .map(({ value }) => parseTokenRecord(value))
      .filter((record) => record.foreign_hash === record.hash && tokenStatus(record, nowMs) === 'active');
    if (left.length === 0) return [];
    const text = `${counted(left.length, 'token has', 'tokens have')} the secret of another registry, first ${left[0]?.id}`;
    return [
      warning('token', text, 'Replace each, and hand the new secret out: `libretto token rotate ID --grace 7d`.'),
    ];
  });
}
