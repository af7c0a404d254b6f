// The pages and forms about webhooks: a new secret, which is shown once, a replay, and the removal.

import { registryHook, repositoryHook } from '../../../hooks/operations.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink, CheckField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { HookPage } from './hook-page.tsx';
import {
  placeOfRegistry,
  placeOfRepository,
  type FindPlace,
  type HookPageServices,
  type HookPlace,
} from './services.ts';

interface Kind {
  readonly path: string;
  readonly find: FindPlace;
  readonly operations: typeof repositoryHook;
}

const section = 'repositories';
const kinds: readonly Kind[] = [
  // these operations take no id
  { path: '/repositories/hook', find: placeOfRegistry, operations: registryHook },
  { path: '/repositories/:id/hook', find: placeOfRepository, operations: repositoryHook },
];

const notices = {
  removed: 'The webhook is removed. Its secrets are refused from now on.',
  overtaken: 'The webhook got another secret already, so this form changed nothing.',
  replayed: 'The syncs of this delivery were started.',
};

/** Call it before the pages of one repository: `/repositories/hook` has their form. */
export function registerHookPages(pages: Pages, services: HookPageServices): void {
  for (const kind of kinds) {
    pages.page({
      path: kind.path,
      operation: kind.operations.get.id,
      notices,
      show: (request) => show(services, request, kind),
    });
    for (const form of [newSecret, removal, replay]) pages.form(form(services, kind));
  }
}

async function show(
  services: HookPageServices,
  request: SignedInRequest,
  { find, operations }: Kind,
): Promise<PageView> {
  const place = await find(services, request);
  const hook = await callFor(services, request, operations.get, place);
  return {
    title: `Webhook of ${place.name}`,
    section,
    content: <HookPage place={place} hook={hook} origin={request.origin} />,
  };
}

/** A form that was sent already changes nothing. */
function newSecret(services: HookPageServices, { find, operations }: Kind): FormPage {
  const currentOf = async (request: SignedInRequest, place: HookPlace): Promise<string | undefined> =>
    (await callFor(services, request, operations.get, place)).secrets[0]?.id;
  return operationForm(services, operations.issue, {
    section,
    view: async (request) => {
      const place = await find(services, request);
      const current = await currentOf(request, place);
      return {
        title: current === undefined ? `Create webhook of ${place.name}?` : `A new secret for ${place.name}?`,
        sentence: 'The next page shows the secret, once. Enter it at the provider.',
        trail: place.trail,
        submit: current === undefined ? 'Create webhook' : 'Create secret',
        cancel: place.path,
        fields: <SecretFields current={current} />,
      };
    },
    input: async (request, fields) => {
      const place = await find(services, request);
      const isCurrent = fields.text('current') === ((await currentOf(request, place)) ?? '');
      return isCurrent ? { id: place.id, drop_old: fields.checked('drop_old') } : undefined;
    },
    done: async (issued, request) => {
      const place = await find(services, request);
      if (issued === undefined) return { to: place.path, notice: 'overtaken' };
      return hookSecretView({ place, secret: issued.secret, address: `${request.origin}${issued.path}` });
    },
  });
}

function SecretFields({ current }: { readonly current: string | undefined }) {
  return (
    <>
      <input type="hidden" name="current" value={current ?? ''} />
      {current === undefined ? null : (
        <CheckField
          name="drop_old"
          label="End the former secret at once"
          hint="Otherwise it stays valid for a day, so that the provider can change to the new one."
        />
      )}
    </>
  );
}

const removal = (services: HookPageServices, { find, operations }: Kind): FormPage =>
  operationForm(services, operations.remove, {
    section,
    of: find,
    view: (place) => ({
      title: `Remove the webhook of ${place.name}?`,
      sentence: 'Its secrets are refused from now on. Remove it at the provider, too. Syncs by the interval continue.',
      trail: place.trail,
      submit: 'Remove webhook',
      cancel: place.path,
    }),
    input: (request) => find(services, request),
    done: async (_hook, request) => ({ to: (await find(services, request)).path, notice: 'removed' }),
  });

const replay = (services: HookPageServices, { find, operations }: Kind): FormPage =>
  operationForm(services, operations.replay, {
    section,
    of: find,
    view: ({ path, trail }) => ({
      title: 'Replay this delivery?',
      sentence: 'The registry starts the syncs that it asked for once more.',
      trail,
      submit: 'Replay',
      cancel: path,
    }),
    input: async (request) => ({
      id: (await find(services, request)).id,
      delivery: request.param('delivery'),
    }),
    done: async (_jobs, request) => ({ to: (await find(services, request)).path, notice: 'replayed' }),
  });

// The page that shows the secret of a webhook, once, with the address to enter beside it.

interface HookSecretProps {
  readonly place: HookPlace;
  readonly secret: string;
  /** the whole address of the webhook */
  readonly address: string;
}

function hookSecretView({ place, secret, address }: HookSecretProps): PageView {
  const title = `Secret of the webhook of ${place.name}`;
  return headedPage(
    { section, title, sentence: 'Enter both at the provider.', trail: place.trail },
    <>
      <Notice kind="warn">
        Copy the secret now. It is shown only this once: a reload of this page changes nothing, and does not show it
        again.
      </Notice>
      <section class="stack">
        <h2>Address</h2>
        <CodeBlock label="the address" text={address} />
        <h2>Secret</h2>
        <CodeBlock label="the secret" text={secret} />
      </section>
      <div class="row">
        <ButtonLink to={place.path} kind="primary" label="I have copied it" />
      </div>
    </>,
  );
}
