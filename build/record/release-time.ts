// `time` of a composer.json: the release date by its author. Composer prefers it over the commit's (VcsDriver.php,
// getBaseComposerInformation).

import type { JsonValue } from '../contract/json.ts';

const zoned = /^([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?$/i;
const date = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const epochSeconds = /^[0-9]{1,11}$/;

/**
 * RFC 3339 UTC, whole seconds; undefined for none. It reads the forms of Composer's schema: RFC 3339, and seconds since
 * 1970. A time without a zone is UTC (ArrayLoader.php, configureObject). PHP reads more forms, for example `yesterday`.
 * This parser ignores them, and the date of the source counts.
 */
export function releaseTimeOf(given: JsonValue | undefined): string | undefined {
  if (typeof given !== 'string') return undefined;
  const time = epochSeconds.test(given) ? new Date(Number(given) * 1000) : new Date(isoOf(given));
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999) return undefined;
  return `${time.toISOString().slice(0, 19)}+00:00`;
}

/** '' for text in another form. */
function isoOf(given: string): string {
  if (date.test(given)) return `${given}T00:00:00Z`;
  const [, day = '', clock = '', zone = 'Z'] = zoned.exec(given) ?? [];
  return day === '' ? '' : `${day}T${clock}${zone.toUpperCase()}`;
}
