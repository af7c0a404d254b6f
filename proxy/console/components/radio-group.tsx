// A choice between a few values, each with a sentence about it.

import { useContext, type Child } from 'hono/jsx';
import { FormContext, type Choice } from './form.tsx';

interface RadioGroupProps {
  readonly name: string;
  readonly label: string;
  /** one value is always chosen: the posted one, else the first */
  readonly choices: readonly (Choice & { readonly hint: string })[];
}

export function RadioGroup({ name, label, choices }: RadioGroupProps): Child {
  const { fields } = useContext(FormContext);
  const chosen = choices.find(({ value }) => value === fields.text(name)) ?? choices[0];
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
    </fieldset>
  );
}
