// The fields of a form that limit which releases are seen: by stability, and by the time of the release.

import { useContext, type Child } from 'hono/jsx';
import { stabilities } from '../../core/views/token-limits.ts';
import { FormContext, SelectField, TextField, type Choice } from './form.tsx';

const choices: readonly Choice[] = [
  { value: '', label: 'all versions' },
  ...stabilities.map((value) => ({ value, label: value === 'stable' ? 'only stable' : `${value} and more stable` })),
];

export function ReleaseFields(): Child {
  // a command names a moment
  const isDay = /^(\d{4}-\d{2}-\d{2})?$/.test(useContext(FormContext).fields.text('not_after'));
  return (
    <div class="side-by-side">
      <SelectField name="stability" label="Stability" hint="RC also shows stable versions." choices={choices} />
      <TextField
        name="not_after"
        label="Released until"
        hint="Hides what was released later."
        type={isDay ? 'date' : 'text'}
      />
    </div>
  );
}
