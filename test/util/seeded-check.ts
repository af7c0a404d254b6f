// Runs fast-check with a seed from seeds.ts. A property that fails reports its seed, the path of the failing case and
// the cause at once. It does not shrink the case, because that outlasts the time limit of a test, and then only the
// limit would be shown. SERIES_SEED=… with { path: '…' } plays the case alone.

import fc from 'fast-check';
import { seedOf } from './seeds.ts';

fc.configureGlobal({ seed: seedOf('SERIES_SEED'), endOnFailure: true });

export { fc };
