// The feature `feeds`: Atom feeds of the published versions, for feed readers.

import { createAtomFeeds } from '../../proxy/atom/atom-feeds.ts';
import { settingOf } from '../../proxy/settings/settings.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ tree, config, settings }: ServingCore, { packages }: FeatureOffers): OpenFeature {
  if (packages === undefined) throw new Error('feeds are opened behind packages');
  const answers = createAtomFeeds({
    catalogue: packages.catalogue,
    published: packages.published,
    files: tree.files,
    registry: settingOf(settings, 'branding.name'),
    publicUrl: publicUrlOf(config)?.url,
    // a console with an address of its own may be for an internal network only
    hasPages: config.features.value.includes('console') && config.consoleListen.value === undefined,
  });
  return { answers };
}
