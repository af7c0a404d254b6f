// The page that gives an endpoint a new secret, which the answer shows once.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { CheckField, Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { endpointSecretView } from './secret-page.tsx';
import { endpointOf, endpointPath, endpointsFor, endpointTrail, type NotificationPageServices } from './services.ts';

export function registerRotation(pages: Pages, services: NotificationPageServices): void {
  pages.form({
    path: '/notifications/:id/secret',
    operation: 'rotateEndpointSecret',
    show: (request, state) => ask(services, request, state),
    submit: (request, fields) => rotate(services, request, fields),
  });
}

const publicKeySentence = 'The receiver verifies with its public key, which the page of the endpoint shows.';

async function ask(
  services: NotificationPageServices,
  request: SignedInRequest,
  state: FormState,
): Promise<PageOutcome> {
  const record = await endpointOf(services, request);
  const [current] = record.secrets;
  if (current === undefined) return { to: endpointPath(record) };
  const isPublic = record.scheme === 'v1a';
  const title = `A new ${isPublic ? 'key' : 'secret'} for ${record.name}?`;
  return {
    title,
    section: 'notifications',
    content: (
      <>
        <PageHead
          title={title}
          sentence={isPublic ? publicKeySentence : 'The next page shows it, once. Enter it at the receiver.'}
          trail={endpointTrail(record)}
        />
        <Form
          state={state}
          submit={isPublic ? 'Make the key' : 'Make the secret'}
          cancel={endpointPath(record)}
          asksPassword={request.asksPassword}
        >
          <input type="hidden" name="current" value={current.id} />
          <CheckField
            name="drop_old"
            label={`The former ${isPublic ? 'key' : 'secret'} ends at once`}
            hint="Otherwise both sign each request for a day, so that the receiver can change to the new one."
          />
        </Form>
      </>
    ),
  };
}

/** A form that was sent already, or that another one overtook, changes nothing. */
async function rotate(
  services: NotificationPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const before = await endpointOf(services, request);
  if (fields.text('current') !== (before.secrets[0]?.id ?? ''))
    return { to: endpointPath(before), notice: 'overtaken' };
  const dropOld = fields.checked('drop_old');
  const { record, secret } = await endpointsFor(services, request).rotate(before.id, dropOld);
  if (secret === undefined) throw new RegistryError('CONFLICT', { message: 'This endpoint signs nothing.' });
  const made = `The endpoint has a new ${record.scheme === 'v1a' ? 'key' : 'secret'}.`;
  const sentence = `${made} The former one ${dropOld ? 'has ended' : 'signs too, for a day'}.`;
  return endpointSecretView({ record, secret, sentence });
}
