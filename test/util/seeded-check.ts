// fast-check with a seed of ours. A property that fails says its seed, the path of the failing case and the cause at
// once: it looks for no smaller case, since that outlives the time limit of a test and then only the limit is shown.
// SERIES_SEED=… with { path: '…' } plays the case alone.

import fc from 'fast-check';
import { seedOf } from './seeds.ts';

fc.configureGlobal({ seed: seedOf('SERIES_SEED'), endOnFailure: true });

export { fc };
