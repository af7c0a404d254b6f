// The name and the colour of the registry, in the head, in titles and on the page for signing in.

import { createContext } from 'hono/jsx';
import type { SettingValues } from '../../settings/definitions.ts';

export interface Brand {
  readonly name: string;
  /** a choice of the setting `branding.color`: the style sheet has a hue for each */
  readonly color: string;
}

export const standardBrand: Brand = { name: 'Libretto', color: 'indigo' };

export const BrandContext = createContext<Brand>(standardBrand);

export function brandOf({ 'branding.name': name, 'branding.color': color }: SettingValues): Brand {
  return { name, color };
}
