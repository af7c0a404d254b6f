// What to do without the password or the second factor. The program sends no mail, so an admin hands over a link.

import type { Child } from 'hono/jsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { A } from '../../components/place.tsx';
import type { Pages } from '../../frame/pages.ts';

export function registerForgotten(pages: Pages): void {
  pages.openPage({
    path: '/forgotten',
    operation: 'login',
    show: () => ({ title: 'Forgotten your password?', bare: true, content: <Forgotten /> }),
  });
}

function Forgotten(): Child {
  return (
    <>
      <h1>Forgotten your password?</h1>
      <p>
        Ask an admin of this registry for a reset link. With the link you choose a new password. Until then, the old
        password stays valid.
      </p>
      <p>
        If you lost your authenticator and your recovery codes, an admin can turn off your two-factor authentication.
      </p>
      <h2>No admin can sign in?</h2>
      <p>On the host of the registry, this command prints an invitation:</p>
      <CodeBlock text="libretto user update EMAIL --invite" label="the command that prints an invitation" />
      <p>
        With it, <A to="/invitation">choose a new password</A>.
      </p>
      <p>This command turns off two-factor authentication:</p>
      <CodeBlock
        text="libretto user update EMAIL --reset-two-factor"
        label="the command that turns off two-factor authentication"
      />
      <p>
        <A to="/sign-in">Back to the sign-in page</A>
      </p>
    </>
  );
}
