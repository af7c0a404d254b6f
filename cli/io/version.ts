// The version of this program. A test compares it with package.json, which costs a start-up nothing.

export const version = '0.1.0';
