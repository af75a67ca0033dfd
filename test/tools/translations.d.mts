/** package.json as the editor sees it in a language; without one, in English. */
export function manifestIn(language?: string): unknown;
/** What is wrong with the translations of the whole project, each in a line. */
export function problems(): Promise<readonly string[]>;
/** The languages beside English, as the editor names them. */
export const languages: readonly string[];
