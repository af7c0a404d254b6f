// The state of an endpoint: one word for lists, a sentence with the next step for its own page, and the time of its
// next attempt.

import type { Child } from 'hono/jsx';
import type { EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Notice, type State } from '../../components/notice.tsx';
import { formatCount, Time, useNow } from '../../components/values.tsx';

const reasons: Readonly<Record<NonNullable<EndpointDocument['disabled_reason']>, readonly [State, string]>> = {
  'by hand': ['info', 'off'],
  gone: ['bad', 'gone (410)'],
  'token ended': ['warn', 'its token ended'],
};

export function EndpointBadge({ endpoint }: { readonly endpoint: EndpointDocument }): Child {
  const [kind, words] = stateOf(endpoint);
  return <Badge kind={kind} label={words} />;
}

function stateOf({ disabled_reason: reason, paused_until: paused, failures }: EndpointDocument): [State, string] {
  if (reason !== null) return [...reasons[reason]];
  if (paused !== null) return ['bad', `paused after ${formatCount(failures, 'failure')}`];
  return failures === 0 ? ['good', 'on'] : ['warn', 'the last attempt failed'];
}

/** Nothing for an endpoint that works. */
export function EndpointNotice({ endpoint }: { readonly endpoint: EndpointDocument }): Child {
  const { disabled_reason: reason, paused_until: paused, last_error: error, failures } = endpoint;
  if (reason === 'by hand') return <Notice kind="info">It is off: events of this time are not kept for it.</Notice>;
  if (reason === 'gone')
    return (
      <Notice kind="bad">
        The receiver answered 410: it wants no more notifications. If that was a mistake, turn the endpoint on again.
      </Notice>
    );
  if (reason === 'token ended')
    return (
      <Notice kind="warn">
        The token that limits it was revoked, or has expired. Choose another view with Edit, then turn it on again.
      </Notice>
    );
  if (failures === 0) return null;
  if (paused === null) return <Notice kind="warn">{`The last attempt failed: ${error ?? ''}`}</Notice>;
  return (
    <Notice kind="bad">
      {`${formatCount(failures, 'attempt')} in a row failed: ${error ?? ''} The next one comes `}
      <NextAttempt at={paused} />.
    </Notice>
  );
}

/** When the next attempt comes, for a sentence: `within a minute`, `in 5 minutes`. `at`: RFC 3339; may have passed. */
export function NextAttempt({ at }: { readonly at: string }): Child {
  return Date.parse(at) < useNow() + 60_000 ? 'within a minute' : <Time at={at} />;
}
