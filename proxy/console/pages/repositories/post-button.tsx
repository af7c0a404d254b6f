// A button that does something at once: a form without fields.

import { useContext, type Child } from 'hono/jsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';

interface PostButtonProps {
  /** the page that takes the post */
  readonly action: string;
  readonly icon: IconName;
  /** default: primary */
  readonly kind?: 'primary' | 'small';
  readonly children?: Child;
}

export function PostButton({ action, icon, kind = 'primary', children }: PostButtonProps): Child {
  return (
    <form method="post" action={hrefTo(useContext(PlaceContext), action)}>
      <button class={`button ${kind}`}>
        <Icon name={icon} />
        {children}
      </button>
    </form>
  );
}
