// Runs before each test file. Waits for conditions get their limit (waits.ts). A file of a folder whose tests run the
// compiled program fails at once where that program is missing or old.

import { expect } from 'vitest';
import { demandCompiled } from './compiled.ts';
import './waits.ts';

if (/\/test\/(?:cli|e2e|fault|property|recorded)\//.test(expect.getState().testPath ?? '')) demandCompiled();
