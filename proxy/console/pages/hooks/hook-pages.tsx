// The pages and forms about webhooks: a new secret, which is shown once, a replay, and the removal.

import { actorOf } from '../../../auth/caller.ts';
import { replayDelivery } from '../../../hooks/replay-delivery.ts';
import type { Permission } from '../../../auth/permissions.ts';
import { CheckField, Form, ButtonLink } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { HookPage } from './hook-page.tsx';
import {
  hooksFor,
  placeOfRegistry,
  placeOfRepository,
  readHook,
  type FindPlace,
  type HookPageServices,
  type HookPlace,
} from './services.ts';
import type { Secret } from '../../../../build/shared/text/secret.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Notice } from '../../components/notice.tsx';

interface Kind {
  readonly path: string;
  readonly find: FindPlace;
  readonly operations: Readonly<Record<'get' | 'issue' | 'remove' | 'replay', Permission>>;
}

const kinds: readonly Kind[] = [
  {
    path: '/repositories/hook',
    find: placeOfRegistry,
    operations: {
      get: 'getRegistryHook',
      issue: 'issueRegistryHook',
      remove: 'removeRegistryHook',
      replay: 'replayRegistryDelivery',
    },
  },
  {
    path: '/repositories/:id/hook',
    find: placeOfRepository,
    operations: {
      get: 'getRepositoryHook',
      issue: 'issueRepositoryHook',
      remove: 'removeRepositoryHook',
      replay: 'replayRepositoryDelivery',
    },
  },
];

const notices = {
  removed: 'The webhook is removed. Its secrets are refused from now on.',
  overtaken: 'The webhook got another secret already, so this form changed nothing.',
  replayed: 'The syncs of this delivery were started.',
};

/** Call it before the pages of one repository: `/repositories/hook` has their form. */
export function registerHookPages(pages: Pages, services: HookPageServices): void {
  for (const kind of kinds) registerKind(pages, services, kind);
}

function registerKind(pages: Pages, services: HookPageServices, { path, find, operations }: Kind): void {
  pages.page({
    path,
    operation: operations.get,
    notices,
    show: (request) => show(services, request, find),
  });
  pages.form({
    path: `${path}/secret`,
    operation: operations.issue,
    show: (request, state) => askSecret(services, request, find, state),
    submit: (request, fields) => issue(services, request, find, fields),
  });
  pages.form({
    path: `${path}/remove`,
    operation: operations.remove,
    show: (request, state) => askRemoval(services, request, find, state),
    submit: async (request) => {
      const place = await find(services, request);
      await hooksFor(services, request).remove(place.owner);
      return { to: place.path, notice: 'removed' };
    },
  });
  pages.form({
    path: `${path}/:delivery/replay`,
    operation: operations.replay,
    show: (request, state) => askReplay(services, request, find, state),
    submit: async (request) => {
      const place = await find(services, request);
      await replayDelivery(services, place.owner, request.param('delivery'), actorOf(request.caller));
      return { to: place.path, notice: 'replayed' };
    },
  });
}

async function show(services: HookPageServices, request: SignedInRequest, find: FindPlace): Promise<PageView> {
  const place = await find(services, request);
  const hook = await readHook(services, request, place);
  return {
    title: `Webhook of ${place.name}`,
    section: 'repositories',
    content: <HookPage place={place} hook={hook} origin={request.origin} nowMs={request.nowMs} />,
  };
}

async function askSecret(
  services: HookPageServices,
  request: SignedInRequest,
  find: FindPlace,
  state: FormState,
): Promise<PageView> {
  const place = await find(services, request);
  const [current] = (await readHook(services, request, place)).secrets;
  const title = current === undefined ? `Make the webhook of ${place.name}?` : `A new secret for ${place.name}?`;
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence="The next page shows the secret, once. Enter it at the provider." />
        <Form
          state={state}
          submit={current === undefined ? 'Make the webhook' : 'Make the secret'}
          cancel={place.path}
          asksPassword={request.asksPassword}
        >
          <input type="hidden" name="current" value={current?.id ?? ''} />
          {current === undefined ? null : (
            <CheckField
              name="drop_old"
              label="End the former secret at once"
              hint="Otherwise it stays valid for a day, so that the provider can change to the new one."
            />
          )}
        </Form>
      </>
    ),
  };
}

/** A form that was sent already changes nothing. */
async function issue(
  services: HookPageServices,
  request: SignedInRequest,
  find: FindPlace,
  fields: FormFields,
): Promise<PageOutcome> {
  const place = await find(services, request);
  const before = await readHook(services, request, place);
  if (fields.text('current') !== (before.secrets[0]?.id ?? '')) return { to: place.path, notice: 'overtaken' };
  const { secret } = await hooksFor(services, request).issue(place.owner, { dropOld: fields.checked('drop_old') });
  return hookSecretView({ place, secret, address: `${request.origin}${before.path}` });
}

async function askRemoval(
  services: HookPageServices,
  request: SignedInRequest,
  find: FindPlace,
  state: FormState,
): Promise<PageView> {
  const place = await find(services, request);
  const title = `Remove the webhook of ${place.name}?`;
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead
          title={title}
          sentence="Its secrets are refused from now on. Remove it at the provider, too. Syncs by the interval continue."
        />
        <Form state={state} submit="Remove webhook" isDanger cancel={place.path} asksPassword={request.asksPassword} />
      </>
    ),
  };
}

async function askReplay(
  services: HookPageServices,
  request: SignedInRequest,
  find: FindPlace,
  state: FormState,
): Promise<PageView> {
  const place = await find(services, request);
  const title = 'Replay this delivery?';
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence="The registry starts the syncs that it asked for once more." />
        <Form state={state} submit="Replay" cancel={place.path} />
      </>
    ),
  };
}

// The page that shows the secret of a webhook, once, with the address to enter beside it.

interface HookSecretProps {
  readonly place: HookPlace;
  readonly secret: Secret;
  /** the whole address of the webhook */
  readonly address: string;
}

function hookSecretView({ place, secret, address }: HookSecretProps): PageView {
  const title = `Secret of the webhook of ${place.name}`;
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence="Enter both at the provider." trail={place.trail} />
        <Notice kind="warn">
          Copy the secret now. It is shown only this once: a reload of this page changes nothing, and does not show it
          again.
        </Notice>
        <section class="stack">
          <h2>Address</h2>
          <CodeBlock label="the address" text={address} />
          <h2>Secret</h2>
          <CodeBlock label="the secret" text={secret.reveal()} />
        </section>
        <div class="row">
          <ButtonLink to={place.path} kind="primary">
            I have copied it
          </ButtonLink>
        </div>
      </>
    ),
  };
}
