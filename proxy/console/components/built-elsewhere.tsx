// Says on a list of what publishes packages that another host does it.

import type { Child } from 'hono/jsx';
import { Notice } from './notice.tsx';

/** Nothing on a server that builds. */
export function BuiltElsewhere({ hasBuilder }: { readonly hasBuilder: boolean }): Child {
  if (hasBuilder) return null;
  return (
    <Notice kind="info">
      This server reads its packages from another host, the origin. Change what is published on the host that builds
      them.
    </Notice>
  );
}
