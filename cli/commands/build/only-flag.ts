// The flag --only: patterns of package names.

import { isNamePattern } from '../../../build/shared/patterns/package-pattern.ts';
import { UsageError } from '../../io/usage-error.ts';

/** `--only` takes all that follows it, which is easily one too many: the `operand`, as the help of the command has it. */
export function onlyFlag(given: unknown, operand: string): readonly string[] | undefined {
  if (given === undefined) return undefined;
  const patterns = (given as readonly string[]).flatMap((text) => text.split(','));
  const wrong = patterns.find((pattern) => !isNamePattern(pattern));
  if (wrong === undefined) return patterns;
  throw new UsageError(
    `--only ${wrong}: this is neither a package name such as acme/hello nor a pattern such as acme/*. Write ` +
      `${operand} before --only.`,
  );
}
