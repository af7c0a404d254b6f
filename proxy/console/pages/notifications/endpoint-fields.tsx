// The fields of an endpoint that can be changed later: name, address, events, packages, stability and view.

import { useContext, type Child } from 'hono/jsx';
import type { TokenRecord } from '../../../core/tokens/token.ts';
import { eventMeanings, eventTypes, type EventType } from '../../../events/registry-event.ts';
import type { EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { defaultEvents, type EndpointFields } from '../../../notifications/endpoints/parse-endpoint.ts';
import { viewEventTypes } from '../../../notifications/model/event-filter.ts';
import { stabilities } from '../../../core/views/token-limits.ts';
import { CheckField, FormContext, SelectField, TextArea, TextField, type Choice } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { FormFields } from '../../request/form-fields.ts';

/** What the form says, without the address. */
export function endpointSelectionOf(fields: FormFields): Omit<EndpointFields, 'url'> {
  const packages = fields.lines('packages');
  return {
    name: fields.optional('name'),
    events: fields.all('events'),
    packages: packages.length === 0 ? null : packages,
    stability: fields.optional('stability') ?? null,
    view: fields.optional('view') ?? null,
  };
}

/** The form of a stored endpoint. The address is a secret with chat services, so it does not come back. */
export function valuesOfEndpoint({ name, events, packages, stability, view }: EndpointDocument) {
  return {
    name,
    events: events.join('\n'),
    packages: (packages ?? []).join('\n'),
    stability: stability ?? '',
    view: view ?? '',
  };
}

/** The fields that the form changes; undefined: none. */
export function endpointChanges(endpoint: EndpointDocument, fields: FormFields): EndpointFields | undefined {
  const before = endpointSelectionOf(new FormFields(new URLSearchParams(valuesOfEndpoint(endpoint))));
  const now = { ...endpointSelectionOf(fields), name: fields.text('name') };
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  const url = fields.optional('url');
  if (changed.length === 0 && url === undefined) return undefined;
  return { ...Object.fromEntries(changed), ...(url !== undefined && { url }) };
}

const packageEvents = eventTypes.filter((type) => viewEventTypes.has(type));
const registryEvents = eventTypes.filter((type) => !viewEventTypes.has(type));

export function EventFields(): Child {
  const fault = useContext(FormContext).faults.get('events');
  return (
    <>
      <fieldset>
        <legend>Events of packages</legend>
        {packageEvents.map((type) => (
          <EventField type={type} />
        ))}
      </fieldset>
      <fieldset>
        <legend>Events of the registry</legend>
        {registryEvents.map((type) => (
          <EventField type={type} />
        ))}
        {fault === undefined ? null : (
          <span class="fault">
            <Icon name="circle-x" />
            {fault}
          </span>
        )}
      </fieldset>
    </>
  );
}

function EventField({ type }: { readonly type: EventType }): Child {
  const meaning = eventMeanings[type];
  return (
    <CheckField
      name="events"
      value={type}
      label={`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`}
      hint={type}
      isChecked={defaultEvents.includes(type)}
    />
  );
}

const stabilityChoices: readonly Choice[] = [
  { value: '', label: 'all versions' },
  ...stabilities.map((value) => ({ value, label: value === 'stable' ? 'only stable' : `${value} and more stable` })),
];

interface SelectionFieldsProps {
  /** those that can be chosen, oldest first */
  readonly tokens: readonly TokenRecord[];
  /** the stored choice, which may have ended; undefined: a new endpoint */
  readonly view?: string | null;
}

export function EndpointSelectionFields({ tokens, view = null }: SelectionFieldsProps): Child {
  return (
    <>
      <EventFields />
      <TextArea
        name="packages"
        label="Packages"
        hint="One name or pattern a line, such as acme/core or acme/*. Empty: all."
        rows={3}
      />
      <SelectField name="stability" label="Stability" hint="RC includes stable versions." choices={stabilityChoices} />
      <ViewField tokens={tokens} view={view} />
    </>
  );
}

/** A longer list would be harder to read than an id to copy. */
const maxListed = 100;

const viewHint =
  'With the view of a token, the receiver is notified only of what that token sees, and of no events of the registry.';

function ViewField({ tokens, view = null }: SelectionFieldsProps): Child {
  if (tokens.length > maxListed)
    return (
      <TextField
        name="view"
        label="Only what this token sees"
        hint={`The id of a token, such as tok_4fHj2kLm9QwErTy0. Empty: everything. ${viewHint}`}
      />
    );
  const isKnown = view === null || tokens.some(({ id }) => id === view);
  const choices: readonly Choice[] = [
    { value: '', label: 'everything' },
    ...tokens.map(({ id, description }) => ({ value: id, label: `what the token “${shortened(description)}” sees` })),
    ...(isKnown ? [] : [{ value: view, label: `as now: the token ${view}, which ended` }]),
  ];
  return <SelectField name="view" label="Subscribed to" hint={viewHint} choices={choices} />;
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** A new endpoint without a name gets that of its host. */
export function EndpointNameField({ isNew }: { readonly isNew: boolean }): Child {
  const example = 'For people, such as Releases in #php.';
  const hint = isNew ? `${example} Empty: the host of the address.` : example;
  return <TextField name="name" label="Name" hint={hint} maxlength={100} required={!isNew} />;
}
