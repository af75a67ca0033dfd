export function ensureVscode(): Promise<string>;
export function ensureBrowser(): Promise<string>;
export const scriptsOfTests: string;
