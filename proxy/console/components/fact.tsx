// One fact of a list (`<dl class="facts">`): its name, and what it is.

import type { Child } from 'hono/jsx';

export function Fact({ label, children }: { readonly label: string; readonly children?: Child }): Child {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
