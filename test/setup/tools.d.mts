export declare const tools: Readonly<Record<string, readonly string[]>>;
export declare function findTool(name: string): string | undefined;
export declare function missingTools(): string[];
export declare function provideTools(say: (text: string) => void): { missing: string[]; reason: string };
