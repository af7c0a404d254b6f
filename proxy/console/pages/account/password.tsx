// Changing one's own password. All sessions end, and this browser gets a new one.

import type { Child } from 'hono/jsx';
import type { People } from '../../../auth/people.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields } from '../../request/form-fields.ts';
import { browserSession } from '../sign-in/browser-session.ts';
import { NewPassword, newPassword } from '../sign-in/new-password.tsx';
import { refusedProof } from './refused-proof.ts';

const current = 'current_password';
const chosen = 'new_password';

export function registerPassword(pages: Pages, people: People): void {
  pages.form({
    path: '/account/password',
    operation: 'changePassword',
    show: async ({ caller }, form) => {
      const { shortestPassword } = await people.rules();
      return {
        title: 'Change your password',
        content: (
          <>
            <PageHead
              title="Change your password"
              sentence="Your sessions in other browsers end. This browser and your terminals stay signed in: your account page ends them."
              trail={[{ label: 'Your account', to: '/account' }]}
            />
            <Form state={form} submit="Change the password" cancel="/account">
              <OwnName email={caller.email} />
              <TextField
                name={current}
                label="Your password now"
                type="password"
                autocomplete="current-password"
                required
              />
              <NewPassword name={chosen} label="New password" shortest={shortestPassword} />
            </Form>
          </>
        ),
      };
    },
    submit: (request, fields) => change(people, request, fields),
  });
}

/** For password managers: whose password it is. */
function OwnName({ email }: { readonly email: string }): Child {
  return <input type="text" name="username" value={email} autocomplete="username" aria-label="Email" readonly hidden />;
}

async function change(
  people: People,
  { caller, clientAddress }: SignedInRequest,
  fields: FormFields,
): Promise<Redirect> {
  const passwords = { current: fields.secret(current), chosen: newPassword(fields, chosen) };
  const loggedIn = await people
    .account(caller.userId, clientAddress)
    .changePassword(passwords)
    .catch(refusedProof(current, 'This is not your password.'));
  return { to: '/account', notice: 'password-changed', session: await browserSession(people, loggedIn) };
}
