// A button that asks for a passkey with the browser's own dialog, and then posts its form with the answer. It needs
// JavaScript: without it, and in a browser without passkeys, a sentence stands in its place.

import { createContext, useContext, type Child } from 'hono/jsx';
import type { PasskeyPurpose } from '../request/passkey-fields.ts';
import { Icon } from './icon.tsx';
import { assetAt, hrefTo, PlaceContext } from './place.tsx';

/** How the person who is signed in can prove who they are. */
export interface Proofs {
  readonly password: boolean;
  readonly passkey: boolean;
}

export const ProofsContext = createContext<Proofs>({ password: true, passkey: false });

interface PasskeyButtonProps {
  readonly purpose: PasskeyPurpose;
  /** a verb and its object */
  readonly children: Child;
  /** of a removal: the passkey to remove */
  readonly about?: string;
  readonly isPrimary?: boolean;
  /** what to do without passkeys; a sentence */
  readonly otherwise?: string | undefined;
}

export function PasskeyButton({ purpose, children, about, isPrimary = false, otherwise }: PasskeyButtonProps): Child {
  const place = useContext(PlaceContext);
  return (
    <div class="stack-tight">
      <div class="row">
        <button
          type="button"
          class={isPrimary ? 'button primary' : 'button'}
          formaction={hrefTo(place, '/passkey')}
          value={about}
          data-passkey={purpose}
        >
          <Icon name="key-round" />
          {children}
        </button>
      </div>
      {otherwise === undefined ? null : <p class="small soft no-passkeys">{otherwise}</p>}
      <p class="fault" role="status"></p>
      {/* a browser runs a module once, however many buttons a page has */}
      <script type="module" src={assetAt(place, 'passkeys.js')}></script>
    </div>
  );
}
