// The reasons of an explanation in words: for people on the command line, and next to the codes in the management API.
// Pure.

import type { TokenLimits } from '../core/views/token-limits.ts';
import type { VersionVisibility } from './explain-verdict.ts';
import type { Reason } from './explain-view.ts';
import { momentText } from './token-limit-text.ts';

export function reasonText(reason: Reason, limits: TokenLimits): string {
  switch (reason) {
    case 'revoked':
      return 'the token is revoked: the registry refuses it';
    case 'expired':
      return 'the token has expired: the registry refuses it';
    case 'networks':
      return `it may be used from ${(limits.networks ?? []).join(', ')} only`;
    case 'packages':
      return `none of its packages matches: ${(limits.packages ?? []).join(', ')}`;
    case 'constraints':
      return `its constraints leave it out: ${Object.entries(limits.constraints ?? {})
        .map(([pattern, constraint]) => `${pattern}: ${constraint}`)
        .join(', ')}`;
    case 'stability':
      return `it sees ${limits.stability ?? ''} and more stable versions only`;
    case 'not_after':
      return `it sees only versions released until ${momentText(limits.not_after ?? '')}`;
    case 'not_published':
      return 'nothing like that is published';
  }
}

/** About a mirrored package. `versions`: the one in question; empty if the question names none. */
export function mirroredText([version]: readonly VersionVisibility[]): string {
  if (version === undefined)
    return (
      'It is not published here, and is mirrored. Only its name was checked; each version is checked ' +
      'when a client requests it.'
    );
  if (version.released_at !== null) return 'It is not published here, and is mirrored.';
  return (
    'It is not published here, and is mirrored. Only the version number was checked; the version and its ' +
    'release time are checked when a client requests it.'
  );
}
