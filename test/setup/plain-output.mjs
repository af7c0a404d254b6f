// Gives a pipe or a file plain text. Libraries read NO_COLOR when they are loaded, so this module is loaded before
// vitest. Every process of the run inherits the variable. FORCE_COLOR and NO_COLOR of the caller come first.

import process from 'node:process';

const isDecided = 'FORCE_COLOR' in process.env || 'NO_COLOR' in process.env;
if (!isDecided && !process.stdout.isTTY) process.env.NO_COLOR = '1';
