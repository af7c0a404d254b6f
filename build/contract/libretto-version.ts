// The version of this program. A test compares it with package.json, so that no start has to read package.json.

export const librettoVersion = '0.2.0';
