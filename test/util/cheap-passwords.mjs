// Loaded before the program in the processes of tests (`--import`): scrypt with a low cost, because tests sign in often,
// and each password takes a third of a second of a processor. `npm run fault` has the real cost
// (SERIES=all), and so have the unit tests of passwords.

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;
crypto.scrypt = (password, salt, length, options, done) =>
  scrypt(password, salt, length, { ...options, cost: 16 }, done);
syncBuiltinESMExports();
