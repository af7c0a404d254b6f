// The version of this program, as commands, server and metrics name it.

export { librettoVersion as version } from '../../build/contract/libretto-version.ts';
