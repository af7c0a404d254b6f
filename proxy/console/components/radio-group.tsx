// A choice between a few values, each with a sentence about it.

import { useContext, type Child } from 'hono/jsx';
import { FormContext, type Choice } from './form.tsx';
import { Icon } from './icon.tsx';

interface RadioGroupProps {
  readonly name: string;
  readonly label: string;
  /** one value is always chosen: the posted one, else `value`, else the first */
  readonly choices: readonly (Choice & { readonly hint: string })[];
  readonly value?: string;
}

export function RadioGroup({ name, label, choices, value }: RadioGroupProps): Child {
  const { fields, faults } = useContext(FormContext);
  const fault = faults.get(name);
  const wanted = fields.optional(name) ?? value;
  const chosen = choices.find((choice) => choice.value === wanted) ?? choices[0];
  return (
    <fieldset>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label class="check">
          <input type="radio" name={name} value={choice.value} checked={choice === chosen} />
          <span>
            {choice.label}
            <span class="hint">{choice.hint}</span>
          </span>
        </label>
      ))}
      {fault === undefined ? null : (
        <span class="fault">
          <Icon name="circle-x" />
          {fault}
        </span>
      )}
    </fieldset>
  );
}
