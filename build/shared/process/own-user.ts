// The name of the user that runs this process, for messages about rights.

import { userInfo } from 'node:os';

/** Completes "The user …". A container's user need not have a name. */
export function ownUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `with the id ${process.getuid?.() ?? 'unknown'}`;
  }
}
