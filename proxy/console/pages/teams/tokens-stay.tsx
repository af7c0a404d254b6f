// What a change of teams leaves as it is: the tokens that people made for others.

import type { Child } from 'hono/jsx';
import { A } from '../../components/place.tsx';

export function TokensStay(): Child {
  return (
    <>
      Tokens that people made for others still see what they saw. Maintainers in a team without * cannot see or revoke
      theirs: look at <A to="/tokens">all tokens</A>.
    </>
  );
}
