// A span of time in words. Pure.

const spans = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `12 hours`, `10 minutes`, `90 seconds`: in the largest unit of which it is a whole number. */
export function spanText(seconds: number): string {
  const [size, unit] = spans.find(([one]) => seconds > 0 && seconds % one === 0) ?? [1, 'second'];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}
