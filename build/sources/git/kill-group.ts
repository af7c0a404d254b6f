// Ends a child that was spawned `detached`, with all its descendants (ssh, index-pack, a remote helper).

const graceMs = 2000;

/** The common part of the child types of node:child_process and execa. */
interface Child {
  readonly pid?: number | undefined;
  readonly once: (event: 'close', listener: () => void) => unknown;
}

/** SIGTERM to the group, so that git removes its lock files; two seconds later SIGKILL to the rest. */
export function killGroup(child: Child): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  child.once('close', () => clearTimeout(timer));
}

function signalGroup(child: Child, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: the whole group has ended already
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
