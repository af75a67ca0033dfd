export function ensureVscode(): Promise<string>;
export function ensureBrowser(): Promise<string>;
export const scriptsOfTests: string;

/** The user's folder for caches. */
export function userCacheFolder(): string;
