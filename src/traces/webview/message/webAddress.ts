/** The address as a browser reads it; undefined where it does not lead to the web. */
export function webAddress(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
