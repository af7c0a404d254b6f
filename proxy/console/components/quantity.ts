// Numbers as people read them. Pure.

const grouped = new Intl.NumberFormat('en', { useGrouping: true });

/** `12 345`, with a narrow space. */
export function formatNumber(value: number): string {
  return grouped.format(value).replaceAll(',', '\u202F');
}

/** `1 version`, `12 345 versions`. `several`: default the word with an s. */
export function formatCount(value: number, one: string, several = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : several}`;
}

const spans = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `12 hours`, `10 minutes`, `90 seconds`: in the largest unit of which it is a whole number. */
export function formatSpan(seconds: number): string {
  const [size, unit] = spans.find(([one]) => seconds > 0 && seconds % one === 0) ?? [1, 'second'];
  return formatCount(seconds / size, unit);
}

/** `512 B`, `1.4 kB`, `23 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, at] = [bytes, 0];
  while (value >= 999.5 && at < units.length - 1) [value, at] = [value / 1000, at + 1];
  return `${at === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[at] ?? ''}`;
}
