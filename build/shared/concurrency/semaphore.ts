// A semaphore with a limited queue. Tasks beyond the queue are refused immediately.

export interface SemaphoreSize {
  readonly inside: number;
  readonly waiting: number;
}

/** The returned function runs `work` in its turn; undefined: the queue is full. */
export function createSemaphore({
  inside,
  waiting,
}: SemaphoreSize): <Result>(work: () => Promise<Result>) => Promise<Result> | undefined {
  let running = 0;
  const queue: (() => void)[] = [];
  const enter = (): Promise<void> =>
    new Promise((resolve) => {
      if (running < inside) {
        running += 1;
        resolve();
      } else queue.push(resolve);
    });
  /** the place goes to the next in line, or becomes free */
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return (work) => {
    if (running >= inside && queue.length >= waiting) return undefined;
    return enter().then(work).finally(leave);
  };
}
