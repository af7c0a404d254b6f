// Reads policy.json. A server looks for a newer file every few seconds. A file that cannot be used never changes the
// policy (I26): the last good one stays in effect, and the fault is reported.

import { readFile, stat } from 'node:fs/promises';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { PolicyIssue } from '../../proxy/policy/model/parse-policy.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import { describeReadFault } from '../io/read-fault.ts';
import { UsageError } from '../io/usage-error.ts';

/** A policy.json that cannot be used. */
export class PolicyFileError extends UsageError {
  readonly issues: readonly PolicyIssue[];

  constructor(path: string, issues: readonly PolicyIssue[]) {
    super(
      `${path} cannot be used: ${issues.map(({ path: at, message }) => `${at === '' ? 'it' : at} ${message}`).join('; ')}.`,
    );
    this.issues = issues;
  }
}

/** Throws PolicyFileError. */
export async function readPolicyFile(path: string): Promise<PolicyDocument> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const { parsePolicyText } = await import('../../proxy/policy/model/parse-policy.ts');
  const parsed = parsePolicyText(text);
  if ('issues' in parsed) throw new PolicyFileError(path, parsed.issues);
  return parsed.policy;
}

/** Differs after each change of the file. Throws PolicyFileError. */
async function stampOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return `${mtimeMs} ${size} ${ino}`;
}

function unreadable(path: string, error: unknown): PolicyFileError {
  return new PolicyFileError(path, [{ path: '', message: `cannot be read (${describeReadFault(error)})` }]);
}

export interface WatchedPolicy {
  /** The last good policy. Rejects with PolicyFileError while there has been none. */
  readonly read: () => MaybeAsync<PolicyDocument>;
}

export interface WatchOptions {
  readonly path: string;
  readonly now: () => number;
  /** is notified of each fault of the file once */
  readonly onFault: (error: unknown) => void;
  /** is notified of each good file that was read */
  readonly onRead?: ((policy: PolicyDocument) => void) | undefined;
}

const lookAgainMs = 2000;

export function watchPolicyFile({ path, now, onFault, onRead }: WatchOptions): WatchedPolicy {
  let known: PolicyDocument | undefined;
  let [stamp, fault] = ['', ''];
  let lookedMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<PolicyDocument> | undefined;
  const look = async (): Promise<PolicyDocument> => {
    try {
      const found = await stampOf(path);
      if (known !== undefined && found === stamp) return known;
      known = await readPolicyFile(path);
      [stamp, fault] = [found, '']; // after the file: a disk that fails for a moment hides no change
      onRead?.(known);
      return known;
    } catch (error) {
      if (known === undefined) throw error;
      const text = error instanceof Error ? error.message : String(error);
      if (text !== fault) onFault(error);
      fault = text;
      return known;
    } finally {
      lookedMs = now();
      looking = undefined;
    }
  };
  return {
    read: () => {
      // a clock that was set back makes no pause
      if (known !== undefined && Math.abs(now() - lookedMs) < lookAgainMs) return known;
      looking ??= look();
      return looking;
    },
  };
}
