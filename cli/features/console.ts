// The feature `console`: pages for people in a browser.

import { createConsoleDirection } from '../../proxy/console/direction.ts';
import { createConsoleFeature } from '../../proxy/console/feature.ts';
import type { ConsolePlace } from '../../proxy/console/open-console.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { ServingCore } from '../core/serving-core.ts';
import { trustedProxiesOf } from '../core/trusted-proxies.ts';
import { sharedCountersUrl } from '../state/open-state.ts';
import { shownConfiguration } from '../state/shown-configuration.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open(core: ServingCore, offers: FeatureOffers): OpenFeature {
  const { services, packages, inspection, mirror, singleSignOn } = offers;
  if (services === undefined || packages === undefined || inspection === undefined)
    throw new Error('the console is opened behind its services');
  const { advisories, config } = core;
  const { value, origin } = config.consoleListen;
  const place = placeOf(core);
  const answers = createConsoleFeature(async () => {
    const { openConsole } = await import('../../proxy/console/open-console.ts');
    // the sign-in takes a person longer than this reading, which the first page with packages would wait for; that page
    // reports its fault
    packages.catalogue.read(core.context.now().getTime()).catch(() => undefined);
    return openConsole(
      {
        ...services,
        singleSignOn,
        restorationsOf: packages.restorationsOf,
        inspection,
        advisories,
        mirror: mirror?.mirror,
        mirrorReport: mirror?.report,
        configuration: shownConfiguration(config),
      },
      place,
    );
  });
  return {
    answers,
    start: async () => {
      // a load beside requests takes so long that a Redis can count as silent
      if (sharedCountersUrl(config) !== undefined) await answers.prepare();
    },
    ...(value !== undefined && {
      listen: { name: 'console', value, origin, flag: '--console-listen' },
      answersThere: createConsoleDirection({
        ...value,
        scheme: config.tlsCert.value === undefined ? 'http' : 'https',
        isProxied: config.trustedProxies.value.length > 0 || endsTlsElsewhere(config),
        names: place.hosts,
      }),
    }),
  };
}

/** True if clients use https, and this server has no certificate: a reverse proxy has it. */
function endsTlsElsewhere(config: ServingCore['config']): boolean {
  return config.tlsCert.value === undefined && publicUrlOf(config)?.url.startsWith('https:') === true;
}

/** The console answers the names that clients have for this server. */
function placeOf({ config, certificateNames }: ServingCore): ConsolePlace {
  const publicUrl = publicUrlOf(config)?.url;
  return {
    publicUrl,
    trustedProxies: trustedProxiesOf(config),
    allowsPlainHttp: config.consoleAllowHttp.value,
    hosts: () => [
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
      ...certificateNames(),
      (config.consoleListen.value ?? config.listen.value).host,
      ...config.consoleHosts.value,
    ],
  };
}
