// One fact of a list (`<dl class="facts">`): its name, and what it is.

import type { Child } from 'hono/jsx';

interface FactProps {
  readonly label: string;
  /** or the children */
  readonly value?: Child;
  readonly children?: Child;
}

export function Fact({ label, value, children }: FactProps): Child {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value ?? children}</dd>
    </div>
  );
}
