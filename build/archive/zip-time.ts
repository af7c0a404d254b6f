// The time an entry carries, in the two forms a ZIP has for it.

/** Ready to be written: the extra field's seconds since 1970, and the DOS field's two 16-bit numbers. */
export interface ZipTime {
  readonly unixTime: number;
  readonly dosDate: number;
  readonly dosTime: number;
}

const dayMs = 86_400_000;
const firstDos = Date.UTC(1980, 0, 1);
const lastDos = Date.UTC(2107, 11, 31, 23, 59, 58);

/**
 * The time for both fields: epoch seconds in UTC for the extra field, and the DOS field, which has no zone and
 * two-second steps. The DOS time is a day earlier. PHP's opcache does not cache a file from the future, and a reader
 * east of Greenwich may interpret the field as local time.
 */
export function zipTimeOf(time: number): ZipTime {
  const dos = new Date(Math.min(lastDos, Math.max(firstDos, time * 1000 - dayMs)));
  return {
    unixTime: Math.min(0x7fffffff, Math.max(0, Math.trunc(time))),
    dosDate: ((dos.getUTCFullYear() - 1980) << 9) | ((dos.getUTCMonth() + 1) << 5) | dos.getUTCDate(),
    dosTime: (dos.getUTCHours() << 11) | (dos.getUTCMinutes() << 5) | (dos.getUTCSeconds() >> 1),
  };
}
