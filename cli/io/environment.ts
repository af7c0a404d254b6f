// The variables of the process, as a value. config.ts reads the real ones.

export type Environment = Readonly<Record<string, string | undefined>>;
