// The families of rows about trusted publishers and the exchange of ID tokens.

import { tokenKey, parseTokenRecord, type TokenId } from '../../proxy/core/tokens/token.ts';
import { parsePublisherRecord, publisherKey } from '../../proxy/publishers/model/publisher.ts';
import { parsePublisherUse } from '../../proxy/publishers/model/publisher-use.ts';
import { parseTokenRun, tokenRunPrefix } from '../../proxy/publishers/model/token-run.ts';
import { parseUsedId } from '../../proxy/publishers/tokens/used-ids.ts';
import { fits, parsed, type StateFamily } from './state-family.ts';

export const publisherFamilies: readonly (readonly [string, StateFamily])[] = [
  ['oidc-jti', parsed(parseUsedId)],
  ['publisher', { isRow: (value, key) => publisherKey(parsePublisherRecord(value).id) === key }],
  ['publisher-use', parsed(parsePublisherUse)],
  [
    'token-run',
    {
      ...parsed(parseTokenRun),
      companions: (value, key) => [
        fits(
          tokenKey(key.slice(tokenRunPrefix.length) as TokenId),
          parseTokenRecord,
          ({ hash }) => hash === parseTokenRun(value).hash,
        ),
      ],
    },
  ],
];
