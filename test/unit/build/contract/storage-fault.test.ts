// Tests the recognition of failures of a full or read-only disk, whatever reports them and however deep they are
// wrapped.
import { describe, expect, it } from 'vitest';
import { storageExitCodes, storageFaultOf, storageFaultOfExit } from '../../../../build/contract/storage-fault.ts';
import { internalError } from '../../../../proxy/core/pipeline/refusals.ts';

const coded = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code });
const wrapped = (cause: unknown): Error =>
  new Error('The state could not be written.', { cause: new Error('a commit failed', { cause }) });

describe('storageFaultOf', () => {
  it.each([
    ['full', coded('ENOSPC')],
    ['full', coded('EDQUOT')],
    ['read-only', coded('EROFS')],
    ['full', new Error('MDB_MAP_FULL: Environment mapsize limit reached')],
    ['full', Object.assign(new Error('No space left on device'), { code: 28 })],
    ['full', new Error("OOM command not allowed when used memory > 'maxmemory'.")],
    [
      'full',
      new Error(
        "ERR Error running script (call to f_1): @user_script:3: -OOM command not allowed when used memory > 'maxmemory'.",
      ),
    ],
    [
      'full',
      new Error('MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.'),
    ],
    ['read-only', new Error('Read-only file system')],
  ])('storageFaultOf returns %s for %s, also for a cause', (fault, error) => {
    expect([storageFaultOf(error), storageFaultOf(wrapped(error))]).toEqual([fault, fault]);
    const { status, body } = internalError('r1', wrapped(error));
    expect([status, (JSON.parse(String(body)) as { code: string }).code]).toEqual([
      500,
      fault === 'full' ? 'STORAGE_FULL' : 'STORAGE_READ_ONLY',
    ]);
  });

  it.each([coded('EACCES'), coded('EIO'), new Error('the room is full'), 'ENOSPC', undefined])(
    'storageFaultOf returns nothing for %s',
    (error) => expect(storageFaultOf(error)).toBeUndefined(),
  );

  it('storageFaultOf ends where causes form a circle', () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    expect(storageFaultOf(error)).toBeUndefined();
  });
});

it('each kind of storage fault has its own exit code', () => {
  expect([storageFaultOfExit(storageExitCodes.full), storageFaultOfExit(storageExitCodes['read-only'])]).toEqual([
    'full',
    'read-only',
  ]);
  expect([0, 1, 2, 75].map(storageFaultOfExit)).toEqual([undefined, undefined, undefined, undefined]);
});
