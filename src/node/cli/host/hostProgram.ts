/** The host in one file, by which it also starts what looks after its runs. */
export interface HostProgram {
  /** Absolute. */
  readonly script: string;
  readonly version: string;
}
