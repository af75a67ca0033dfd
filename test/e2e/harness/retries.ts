/** Counts the actions that the current test had to repeat. */
let retries = 0;

export function resetRetries(): void {
  retries = 0;
}

export function retryCount(): number {
  return retries;
}

/** Counts and prints a retry. `what` names the state that was not reached, `instead` describes the window. */
export function countRetry(what: string, instead: string): void {
  retries += 1;
  console.warn(`Retry ${retries}. Not reached: ${what}.\nInstead: ${instead}`);
}
