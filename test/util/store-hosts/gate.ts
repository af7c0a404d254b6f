// Lets the requests of several hosts pass one at a time, in a random order: the next one is chosen when each host has
// one, or after a moment, because a host also works without requests.

export interface Gate {
  readonly enter: (host: number) => void;
  readonly leave: (host: number) => void;
  readonly pass: (host: number) => Promise<void>;
}

const momentMs = 4;

export function gateOf(random: () => number): Gate {
  const waiting: { readonly host: number; readonly go: () => void }[] = [];
  const inside = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = undefined;
    const hosts = [...new Set(waiting.map(({ host }) => host))];
    const chosen = hosts[Math.floor(random() * hosts.length)];
    waiting
      .splice(
        waiting.findIndex(({ host }) => host === chosen),
        1,
      )[0]
      ?.go();
    consider();
  };
  const consider = (): void => {
    if (waiting.length === 0 || timer !== undefined) return;
    const isFull = [...inside].every((host) => waiting.some((one) => one.host === host));
    timer = setTimeout(next, isFull ? 0 : momentMs);
  };
  return {
    enter: (host) => void inside.add(host),
    leave: (host) => void inside.delete(host),
    pass: (host) =>
      new Promise((resolve) => {
        waiting.push({ host, go: resolve });
        consider();
      }),
  };
}
