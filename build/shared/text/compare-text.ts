// The order of texts by their UTF-16 code units: the same on every machine, whatever its language.

/** For `sort`: negative if `one` comes first. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
