export function withLock<T>(
  file: string,
  action: () => Promise<T>,
  options?: { readonly onWait?: (holder: number | undefined) => void },
): Promise<T>;
