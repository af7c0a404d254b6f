// The buttons of the identity providers, on the sign-in page and on the page of a refused sign-in. Each is a form: a
// link of another site can then not begin a sign-in.

import { useContext, type Child } from 'hono/jsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import type { IdentityProvider } from '../../../sso/model/provider.ts';

export type OfferedProvider = Pick<IdentityProvider, 'id' | 'title'>;

interface ProviderButtonsProps {
  readonly providers: readonly OfferedProvider[];
  /** the page to go to afterwards, as the address has it */
  readonly next: string | null;
}

export function ProviderButtons({ providers, next }: ProviderButtonsProps): Child {
  if (providers.length === 0) return null;
  return (
    <div class="stack-tight">
      {providers.map((provider) => (
        <ProviderButton provider={provider} next={next}>
          Sign in with {provider.title}
        </ProviderButton>
      ))}
      <p class="soft small">Or with a password of this registry:</p>
    </div>
  );
}

export function ProviderButton({
  provider: { id },
  next,
  isOther = false,
  children,
}: {
  readonly provider: OfferedProvider;
  readonly next: string | null;
  /** true: the person may choose another account there */
  readonly isOther?: boolean;
  readonly children?: Child;
}): Child {
  const query = new URLSearchParams({
    ...(next !== null && { next }),
    ...(isOther && { account: 'other' }),
  }).toString();
  return (
    <form method="post" action={hrefTo(useContext(PlaceContext), `/sso/${id}${query === '' ? '' : `?${query}`}`)}>
      <button class="button primary">{children}</button>
    </form>
  );
}
