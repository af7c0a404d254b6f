// Rare fields of a form: folded until one of them has a fault or a value.

import { useContext, type Child } from 'hono/jsx';
import { FormContext } from './form.tsx';

interface FoldedFieldsProps {
  readonly label: string;
  /** of the fields that open it by a fault */
  readonly names: readonly string[];
  /** of those that open it by a value too; default: all */
  readonly valued?: readonly string[];
  readonly children?: Child;
}

export function FoldedFields({ label, names, valued = names, children }: FoldedFieldsProps): Child {
  const { fields, faults } = useContext(FormContext);
  const isUsed = names.some((name) => faults.has(name)) || valued.some((name) => fields.text(name) !== '');
  return (
    <details open={isUsed}>
      <summary>{label}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}
