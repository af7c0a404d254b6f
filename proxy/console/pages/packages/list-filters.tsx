// The words and filters above the list of packages. A form with GET, so that its address can be sent to others.

import type { Child } from 'hono/jsx';
import { Icon } from '../../components/icon.tsx';
import type { Choice } from '../../components/form.tsx';
import type { ListQuery } from './list-query.ts';

interface ListFiltersProps {
  readonly query: ListQuery;
  readonly types: readonly string[];
  /** true: packages of other registries are listed too */
  readonly mirrors: boolean;
}

const stabilityChoices: readonly Choice[] = [
  { value: 'stable', label: 'has a stable version' },
  { value: 'dev', label: 'only unstable versions' },
];
const stateChoices: readonly Choice[] = [
  { value: 'advisory', label: 'has an advisory' },
  { value: 'abandoned', label: 'abandoned' },
];
const originChoices: readonly Choice[] = [
  { value: 'private', label: 'published here' },
  { value: 'mirrored', label: 'mirrored' },
];

export function ListFilters({ query, types, mirrors }: ListFiltersProps): Child {
  const { type, stability, state, origin } = query;
  return (
    <form class="filters" data-live>
      <Words value={query.words} />
      <Filter name="type" label="Type" value={type} choices={types.map((one) => ({ value: one, label: one }))} />
      <Filter name="stability" label="Stability" value={stability} choices={stabilityChoices} />
      <Filter name="state" label="State" value={state} choices={stateChoices} />
      {mirrors ? <Filter name="origin" label="Origin" value={origin} choices={originChoices} /> : null}
      {query.order === 'name' ? null : <input type="hidden" name="sort" value={query.order} />}
      <button class="button">Search</button>
    </form>
  );
}

function Words({ value }: { readonly value: string }): Child {
  const placeholder = 'Name or keyword';
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

interface FilterProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
}

function Filter({ name, label, value, choices }: FilterProps): Child {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">any</option>
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
