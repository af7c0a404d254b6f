// Opens a repository on this disk for reading objects. Starts no process before the first object is asked for.

import { localEnvironment, type GitEnvironment } from './git-environment.ts';
import { ObjectReader } from './object-reader.ts';
import { ObjectStore } from './object-store.ts';

export function openObjects(
  gitDirectory: string,
  options: { readonly environment: GitEnvironment; readonly timeoutMs: number },
): ObjectStore {
  return new ObjectStore(
    new ObjectReader({
      environment: localEnvironment(options.environment, gitDirectory),
      timeoutMs: options.timeoutMs,
    }),
  );
}
