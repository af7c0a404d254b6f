// What a dangerous form shows to a person who signed in at an identity provider, instead of the field for a password:
// the way to sign in there again.

import { createContext, useContext, type Child } from 'hono/jsx';
import { hrefTo, PlaceContext } from './place.tsx';

export interface ConfirmPlace {
  /** of the provider */
  readonly id: string;
  readonly title: string;
  /** the page to come back to, below /ui */
  readonly page: string;
}

/** undefined: the person of the page confirms with a password. */
export const ConfirmContext = createContext<ConfirmPlace | undefined>(undefined);

/** Stands within a form: its button posts to another page, and checks no field. */
export function ConfirmAtProvider({ id, title, page }: ConfirmPlace): Child {
  const action = hrefTo(useContext(PlaceContext), `/sso/${id}/confirm?next=${encodeURIComponent(page)}`);
  return (
    <div class="field">
      <span class="hint">
        This needs your password at {title} once more. Enter it there, and you come back to this page. Then forms ask
        nothing for five minutes. What you typed here is lost.
      </span>
      <div class="row">
        <button class="button primary" formaction={action} formnovalidate>
          Confirm at {title}
        </button>
      </div>
    </div>
  );
}
