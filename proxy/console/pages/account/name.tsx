// Changing one's own name, as others see it beside the email.

import { actorOf } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { Pages } from '../../frame/pages.ts';

export function registerName(pages: Pages, people: People): void {
  pages.form({
    path: '/account/name',
    operation: 'updateMe',
    show: async ({ caller }, form) => {
      const { name } = await people.usersOf(actorOf(caller)).get(caller.userId);
      return {
        title: 'Change your name',
        content: (
          <>
            <PageHead
              title="Change your name"
              sentence="Admins see it beside your email. You go on signing in with the email."
              trail={[{ label: 'Your account', to: '/account' }]}
            />
            <Form state={form} submit="Save the name" cancel="/account">
              <TextField name="name" label="Name" hint="May stay empty." value={name ?? ''} autocomplete="name" />
            </Form>
          </>
        ),
      };
    },
    submit: async ({ caller }, fields) => {
      await people.usersOf(actorOf(caller)).update(caller.userId, { name: fields.optional('name') ?? null });
      return { to: '/account', notice: 'name-changed' };
    },
  });
}
