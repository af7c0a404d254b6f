// Checks a figure against its promise: at least `atLeast`, at most `atMost`, or at most `times` the floor plus `plus`.

export function limitOf({ atLeast, atMost, times, plus = 0, floor }) {
  if (atLeast !== undefined) return atLeast;
  if (atMost !== undefined) return atMost;
  return times === undefined ? undefined : times * floor + plus;
}

/** undefined where nothing was promised. */
export function isMet(figure) {
  const limit = limitOf(figure);
  if (limit === undefined) return undefined;
  return figure.atLeast === undefined ? figure.ours <= limit : figure.ours >= limit;
}
