// How an operator gets to the first admin when the printed address is lost, used, or older than an hour.

import type { Child } from 'hono/jsx';
import { CodeBlock } from '../../components/code-block.tsx';

export function LostSetupCode(): Child {
  return (
    <>
      <p>Restart the server: it prints a new address, which is valid for an hour.</p>
      <p>Or create the first admin with this command, on the host of the registry:</p>
      <CodeBlock text="libretto user create --admin --email EMAIL" label="the command that creates the first admin" />
    </>
  );
}
