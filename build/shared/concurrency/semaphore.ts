// A few at a time, a few waiting, and whoever comes then is turned away at once.

import { RegistryError } from '../../contract/errors.ts';

/** What a login hears that is turned away because of how many others there are. */
export function tooManyWaiting(): RegistryError {
  return new RegistryError('TOO_MANY_ATTEMPTS', {
    message: 'Too many people are signing in at once. Try again in a few seconds.',
    details: { retry_after_seconds: 3 },
  });
}

export interface SemaphoreSize {
  readonly inside: number;
  readonly waiting: number;
}

/** What it returns runs `work` in its turn; undefined: nobody more may wait. */
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
