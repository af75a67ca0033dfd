export function ensureVscode(): Promise<string>;
export function ensureOtherBuiltIns(): Promise<string>;
export function ensureBrowser(): Promise<string>;
