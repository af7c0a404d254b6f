// The words and the choices above a list. Their form sends with GET, so that its address can be sent to others.

import type { Child, JSX } from 'hono/jsx';
import type { Choice } from './form.tsx';
import { Icon } from './icon.tsx';

/** The field `q`. `placeholder`: what the words are compared with. */
export function WordsFilter({ value, placeholder }: { readonly value: string; readonly placeholder: string }): Child {
  return (
    <div class="field wide">
      <label for="q">Words</label>
      <div class="search">
        <Icon name="search" />
        <input type="search" id="q" name="q" value={value} placeholder={placeholder} autocomplete="off" />
      </div>
    </div>
  );
}

interface TextFilterProps extends Omit<JSX.IntrinsicElements['input'], 'id' | 'class'> {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date' | 'search';
  readonly isWide?: boolean;
}

/** A text, or a day. */
export function TextFilter({ name, label, type, isWide = false, children, ...input }: TextFilterProps): Child {
  return (
    <div class={isWide ? 'field wide' : 'field'}>
      <label for={name}>{label}</label>
      <input id={name} name={name} type={type} autocomplete={type === 'date' ? undefined : 'off'} {...input} />
      {children}
    </div>
  );
}

interface ChoiceFilterProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** the first one is the standard */
  readonly choices: readonly Choice[];
}

export function ChoiceFilter({ name, label, value, choices }: ChoiceFilterProps): Child {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
