/** Of the Python package that upstream imports in place of a workflow or judge in TypeScript. */
export const bridgePackage = 'agentjet_bridge';

/** The file in it that tells which they are: by kind, as {@link BridgedCode}. */
export const bridgedFile = 'named.json';

export interface BridgedCode {
  /** From the folder that is sent, with `/`. */
  readonly file: string;
  readonly name: string;
}
