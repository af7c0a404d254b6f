// Whether a figure keeps what was promised of it: at most `atMost`, or at most `times` the floor plus `plus`.

export function limitOf({ atMost, times, plus = 0, floor }) {
  if (atMost !== undefined) return atMost;
  return times === undefined ? undefined : times * floor + plus;
}

/** undefined where nothing was promised. */
export function isMet(figure) {
  const limit = limitOf(figure);
  return limit === undefined ? undefined : figure.ours <= limit;
}
